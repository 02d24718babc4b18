import Foundation
import HTTPTransfer
import Lab
import Testing

/// Certificates good and bad.
@Suite(.timeLimit(.minutes(3)))
struct TLSTests {
    private let server: WebServer

    init() throws { server = try WebServer.shared.get() }

    private func request(_ certificate: String) -> TransferRequest {
        .collecting("https://127.0.0.1:\(server.tlsPort(certificate))/")
    }

    @Test func `a good certificate is taken, and told about`() async throws {
        try await withLoop(caFile: server.authority.certificate) { loop async throws in
            let response = try await loop.perform(request("good"))
            #expect(response.status == 200)
            let statistics = response.statistics
            #expect(statistics.certificateExpiry == Date(timeIntervalSince1970: 2_054_088_306))
            let tls = try #require(statistics.tls)
            #expect(tls.version == "TLS 1.3")
            #expect(["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"].contains(tls.cipher))
            // The authority's own certificate ends later.
            #expect(tls.chainExpiry == statistics.certificateExpiry)
            let facts = try #require(tls.certificate.flatMap { CertificateFacts(der: $0) })
            #expect(facts.subject == "CN=good" && facts.issuer == "CN=Test" && facts.names == ["localhost"])
            #expect(statistics.phases.tls ?? .zero > .zero)
            #expect(statistics.phases.sum == statistics.duration)
        }
    }

    @Test func `a certificate with a key of Ed25519 is taken like any other`() async throws {
        try await withLoop(caFile: server.authority.certificate) { loop async throws in
            let response = try await loop.perform(request("edwards"))
            #expect(response.status == 200)
            #expect(response.statistics.certificateExpiry == Date(timeIntervalSince1970: 2_054_088_306))
        }
    }

    @Test(arguments: ["other", "expired", "early", "selfsigned"])
    func `a bad certificate is refused`(_ certificate: String) async throws {
        try await withLoop(caFile: server.authority.certificate) { loop async throws in
            let error = try await failure(of: request(certificate), on: loop)
            #expect(error.reason == .tls && error.phase == .tls)
            let distrust: [String: TransferError.Distrust] = ["expired": .expired, "early": .notYetValid]
            #expect(error.distrust == distrust[certificate, default: .other])
            #expect(error.message.contains("127.0.0.1:\(server.tlsPort(certificate))"))
            #expect(error.statistics.remotePort == server.tlsPort(certificate))
            #expect(error.statistics.phases.tls != nil && error.statistics.phases.processing == nil)
            #expect(error.statistics.phases.sum == error.statistics.duration)
            if certificate == "expired" {
                #expect(error.statistics.certificateExpiry == Date(timeIntervalSince1970: 1_612_325_106))
            }
            #expect(error.statistics.tls == nil)
            let response = try await loop.perform(request(certificate).with { $0.tls.skipsVerification = true })
            #expect(response.status == 200)
            let tls = try #require(response.statistics.tls)
            #expect(tls.certificate != nil && tls.chainExpiry == nil, "no chain was verified")
        }
    }

    @Test func `a connection alone ends with its handshake, whose bytes count`() async throws {
        try await withLoop(caFile: server.authority.certificate) { loop async throws in
            let response = try await loop.perform(request("good").with { $0.onlyConnects = true })
            #expect(response.status == 0 && response.headers.isEmpty)
            let statistics = response.statistics
            // A ClientHello, and a certificate with its chain.
            #expect(statistics.sentBytes > 300 && statistics.receivedBytes > 700, "\(statistics)")
            #expect(statistics.phases.tls ?? .zero > .zero)
            #expect(statistics.certificateExpiry == Date(timeIntervalSince1970: 2_054_088_306))
            #expect(statistics.connectionRTT != nil && statistics.remoteAddress != nil)
            let error = try await failure(of: request("other").with { $0.onlyConnects = true }, on: loop)
            #expect(error.reason == .tls)
        }
    }

    @Test func `only the named authority is trusted`() async throws {
        try await withLoop { loop async throws in
            #expect(try await failure(of: request("good"), on: loop).reason == .tls)
            let named = request("good").with { $0.tls.caFile = server.authority.certificate }
            #expect(try await loop.perform(named).status == 200)
            #expect(try await failure(of: request("good"), on: loop).reason == .tls)
        }
    }

    @Test func `another name is asked for and verified`() async throws {
        try await withLoop(caFile: server.authority.certificate) { loop async throws in
            let named = request("other").with { $0.tls.serverName = "other.test" }
            let response = try await loop.perform(named)
            #expect(response.body == Array("other.test 127.0.0.1:\(server.tlsPort("other"))".utf8))
            let wrong = request("good").with { $0.tls.serverName = "other.test" }
            #expect(try await failure(of: wrong, on: loop).reason == .tls)
        }
    }

    @Test func `we show who we are when asked`() async throws {
        try await withLoop(caFile: server.authority.certificate) { loop async throws in
            #expect(try await loop.perform(request("asking")).status == 400)
            let own = try #require(server.certificates["other"])
            let shown = request("asking").with {
                $0.tls.certificateFile = own.certificate
                $0.tls.keyFile = own.key
            }
            #expect(try await loop.perform(shown).status == 200)
        }
    }

    @Test func `a file that is missing or empty is the request's fault`() async throws {
        try await withLoop(caFile: server.authority.certificate) { loop async throws in
            let missing = request("good").with { $0.tls.caFile = "/nonexistent" }
            #expect(try await failure(of: missing, on: loop).reason == .invalidRequest)
            // An empty bundle trusts nobody.
            let empty = request("good").with { $0.tls.caFile = server.file("hello") }
            #expect(try await failure(of: empty, on: loop).reason == .tls)
        }
    }

    @Test func `a server that speaks no TLS fails in the handshake, a silent one in time`() async throws {
        let plain = try RawServer { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        defer { plain.close() }
        let silent = try RawServer { $0.readAll() }
        defer { silent.close() }
        try await withLoop { loop async throws in
            let error = try await failure(of: TransferRequest(url: "https://127.0.0.1:\(plain.port)/"), on: loop)
            #expect(error.reason == .tls && error.phase == .tls)
            #expect(error.distrust == nil, "it has shown no certificate")
            for (total, handshake) in [(20_000, 2000), (2000, 20_000)] {
                let request = TransferRequest(url: "https://127.0.0.1:\(silent.port)/").with {
                    $0.timeout = .milliseconds(total)
                    $0.connectTimeout = .milliseconds(handshake)
                }
                let late = try await failure(of: request, on: loop)
                #expect(late.reason == .timeout && late.phase == .tls)
            }
        }
    }
}
