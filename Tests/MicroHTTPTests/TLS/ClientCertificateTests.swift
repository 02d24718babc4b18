import Lab
import Testing

@testable import MicroHTTP

/// What a certificate of a client must be.
extension TLSTests {
    @Test func `a client's certificate must have one of the allowed names`() async throws {
        let clients: [(TestAuthority.Identity, Bool)] = try [
            ("DNS:a.test", true), ("DNS:b.test", false), ("email:a@test", true), ("IP:192.0.2.1", true),
            ("IP:2001:db8::1", true), ("IP:192.0.2.2", false), ("URI:spiffe://test/a", true), ("DNS:x.a.test", false),
            ("DNS:b.test,DNS:a.test", true),
        ]
        .map { (try authority.sign(for: $0.0), $0.1) }
        let trust = ["--cacert", authority.certificate]
        let authorities = try bytes(authority.certificate)
        let settings = try settings {
            $0.clientCertificate = .requiredAndVerified
            $0.clientAuthorities = authorities
            $0.allowedClientNames = ["a.test", "a@test", "192.0.2.1", "2001:db8::1", "spiffe://test/a"]
        }
        try await secure(settings) { (port) throws in
            for (identity, isAllowed) in clients {
                let own = ["--cert", identity.certificate, "--key", identity.key]
                #expect((try Self.curl(port, "/a", trust + own) == "GET /a") == isAllowed, "\(identity.certificate)")
            }
            #expect(try Self.curl(port, "/a", trust) == nil)
        }
    }

    @Test func `a certificate for servers is none of a client`() async throws {
        let identity = try authority.sign(for: "DNS:a.test", extensions: ["extendedKeyUsage=serverAuth"])
        let trust = ["--cacert", authority.certificate, "--cert", identity.certificate, "--key", identity.key]
        let authorities = try bytes(authority.certificate)
        let settings = try settings {
            $0.clientCertificate = .requiredAndVerified
            $0.clientAuthorities = authorities
        }
        try await secure(settings) { (port) throws in #expect(try Self.curl(port, "/a", trust) == nil) }
    }

    @Test func `a client's certificate of more than 32 KiB is refused`() async throws {
        let clients = try [(1, true), (400, true), (700, false)].map { (count, isTaken) throws in
            let names = (0..<count).map { "DNS:\(String(repeating: "a", count: 50)).\($0).test" }
            return (try authority.sign(for: names.joined(separator: ",")), isTaken)
        }
        let trust = ["--cacert", authority.certificate]
        try await secure(try settings { $0.clientCertificate = .required }) { (port) throws in
            for (identity, isTaken) in clients {
                let own = ["--cert", identity.certificate, "--key", identity.key]
                #expect((try Self.curl(port, "/a", trust + own) == "GET /a") == isTaken)
            }
        }
    }
}
