import Coordination
import Foundation
import Lab
import Testing

@testable import MicroHTTP

/// Against curl and openssl(1), which have another TLS library.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TLSTests {
    let authority: TestAuthority
    private let server: TestAuthority.Identity

    init() throws {
        authority = try TestAuthority.shared.get()
        server = try Self.server.get()
    }

    private static let server = Result { try TestAuthority.shared.get().sign("server") }

    func settings(_ change: (inout TLSSettings) throws -> Void = { _ in }) throws -> TLSSettings {
        var settings = TLSSettings(certificate: try bytes(server.certificate), key: try bytes(server.key))
        try change(&settings)
        return settings
    }

    func bytes(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) }

    func secure(
        _ settings: TLSSettings,
        _ routes: [Route] = [echo(.get, "/a"), echo(.post, "/b", bodyLimit: 1_000_000)],
        configure: (inout Server.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (UInt16) throws -> Void
    ) async throws {
        let context = try TLSContext(settings)
        let configureAll: (inout Server.Configuration) -> Void = {
            $0.headerDeadline = .seconds(60)
            configure(&$0)
            $0.tls = { context }
        }
        try await serving(routes, configure: configureAll) { port in
            try await blocking { try body(port) }
        }
    }

    /// curl's output; nil where it fails, as in a handshake.
    static func curl(_ port: UInt16, _ path: String, _ arguments: [String]) throws -> String? {
        let url = "https://localhost:\(port)\(path)"
        let ended = try result(of: ["curl", "--silent", "--max-time", "40", "--noproxy", "*"] + arguments + [url])
        return ended.status == 0 ? ended.output : nil
    }

    @Test func `answers a client that trusts its authority, over TLS 1.2 and 1.3 and no older one`() async throws {
        let trust = ["--cacert", authority.certificate]
        try await secure(try settings()) { (port) throws in
            #expect(try Self.curl(port, "/a", trust) == "GET /a")
            #expect(try Self.curl(port, "/a", trust + ["--tls-max", "1.2"]) == "GET /a")
            #expect(try Self.curl(port, "/a", trust + ["--tlsv1.3"]) == "GET /a")
            let old = ["--tlsv1.0", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"]
            #expect(try Self.curl(port, "/a", trust + old) == nil)
            #expect(try Self.curl(port, "/a", []) == nil)
            #expect(try result(of: ["curl", "-s", "--max-time", "40", "http://localhost:\(port)/a"]).status != 0)
            // Two requests on one connection, and a body.
            let both = ["https://localhost:\(port)/a", "--next"] + trust
            #expect(try Self.curl(port, "/a", trust + both) == "GET /aGET /a")
            let body = String(repeating: "b", count: 500_000)
            #expect(
                try Self.curl(port, "/b", trust + ["--data-binary", body.prefix(100_000).description]) == "POST /b"
            )
        }
    }

    @Test func `speaks an old version where it is told to, and only new ones where it is told to`() async throws {
        let trust = ["--cacert", authority.certificate]
        let old = ["--tlsv1.0", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"]
        try await secure(try settings { $0.versions = .tls10 ... .tls12 }) { (port) throws in
            #expect(try Self.curl(port, "/a", trust + old) == "GET /a")
            #expect(try Self.curl(port, "/a", trust + ["--tlsv1.3"]) == nil)
        }
        try await secure(try settings { $0.versions = .tls13 ... .tls13 }) { (port) throws in
            #expect(try Self.curl(port, "/a", trust) == "GET /a")
            #expect(try Self.curl(port, "/a", trust + ["--tls-max", "1.2"]) == nil)
        }
    }

    @Test(arguments: TLSSettings.ClientCertificate.allCases, ["1.2", "1.3"])
    func `asks for a certificate, and verifies it, as the settings say`(
        type: TLSSettings.ClientCertificate,
        version: String
    ) async throws {
        let other = try TestAuthority()
        let stranger = try other.sign()
        let client = try authority.sign(for: "DNS:client.test")
        let trust = ["--cacert", authority.certificate, "--tls-max", version]
        let authorities = try bytes(authority.certificate)
        let settings = try settings {
            $0.clientCertificate = type
            $0.clientAuthorities = authorities
        }
        try await secure(settings) { (port) throws in
            func answers(_ identity: TestAuthority.Identity?) throws -> Bool {
                let own = identity.map { ["--cert", $0.certificate, "--key", $0.key] } ?? []
                return try Self.curl(port, "/a", trust + own) == "GET /a"
            }
            #expect(try answers(nil) == !type.isRequired)
            #expect(try answers(client))
            #expect(try answers(stranger) == !type.isVerified)
        }
        withExtendedLifetime(other) {}
    }

    @Test func `the context of the moment serves the next handshake; without one it fails`() async throws {
        let other = try authority.sign(for: "DNS:other.test")
        let trust = ["--cacert", authority.certificate]
        let first = try TLSContext(settings())
        let second = try TLSContext(TLSSettings(certificate: bytes(other.certificate), key: bytes(other.key)))
        let context = Locked<TLSContext?>(first)
        let configure: (inout Server.Configuration) -> Void = {
            $0.headerDeadline = .seconds(60)
            $0.tls = { context.withLock { $0 } }
        }
        try await serving([echo(.get, "/a")], configure: configure) { port in
            try await blocking { () throws in
                #expect(try Self.curl(port, "/a", trust) == "GET /a")
                context.withLock { $0 = second }
                #expect(try Self.curl(port, "/a", trust) == nil)
                context.withLock { $0 = nil }
                let url = "https://localhost:\(port)/a"
                let ended = try result(of: ["curl", "--silent", "--max-time", "40", "--noproxy", "*"] + trust + [url])
                // The server has ended it: 28 would be curl's own limit, which is shorter than the server's deadline.
                #expect(ended.status != 0 && ended.status != 28, "\(ended)")
                context.withLock { $0 = first }
                #expect(try Self.curl(port, "/a", trust) == "GET /a")
            }
        }
    }

    @Test func `an answer in the middle of a body is sent through TLS, too`() async throws {
        let record = Locked(RecordingSink.Record())
        let route = Route(
            .post,
            "/sink",
            name: "sink",
            handler: .sink { _ in .accept(RecordingSink(record, limit: 200_000)) }
        )
        let folder = try TemporaryFolder()
        let file = try folder.write("body", Data(repeating: 1, count: 4_000_000))
        let arguments = ["--cacert", authority.certificate, "--data-binary", "@\(file)", "-H", "Expect:"]
        try await secure(try settings(), [route]) { (port) throws in
            for _ in 0..<5 { #expect(try Self.curl(port, "/sink", arguments) == "enough\n") }
        }
    }

    @Test func `a refused or late connection is closed without text`() async throws {
        let configure: (inout Server.Configuration) -> Void = {
            $0.connectionsPerAddress = 1
            $0.headerDeadline = .milliseconds(200)
        }
        try await secure(try settings(), configure: configure) { (port) throws in
            let late = try Client(port)
            let refused = try Client(port)
            #expect(refused.readToEnd().isEmpty)
            #expect(late.readToEnd().isEmpty)
        }
    }

    @Test func `settings that cannot be used are refused with their subject`() throws {
        func subject(_ change: (inout TLSSettings) throws -> Void) throws -> TLSError.Subject {
            try #require(throws: TLSError.self) { try TLSContext(settings(change)) }.subject
        }
        let other = try bytes(authority.sign().key)
        #expect(try subject { $0.certificate = [] } == .certificate)
        #expect(try subject { $0.certificate = Array("-----BEGIN CERTIFICATE-----\nx".utf8) } == .certificate)
        #expect(try subject { $0.key = [] } == .key)
        #expect(try subject { $0.key = other } == .key)
        #expect(try subject { $0.key = $0.certificate } == .key)
        #expect(
            try subject {
                $0.clientCertificate = .requiredAndVerified
                $0.clientAuthorities = Array("none".utf8)
            } == .clientAuthorities
        )
    }
}
