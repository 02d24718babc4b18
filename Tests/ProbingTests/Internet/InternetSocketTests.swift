import HTTPTransfer
import Lab
import Netlink
import Posix
import Testing

@testable import Probing

/// One round against real servers on loopback: each gives its verdict.
@Suite(.timeLimit(.minutes(3)))
struct InternetSocketTests {
    private static func server(ipv6: Bool = false, _ answer: String) throws -> RawServer {
        try RawServer(ipv6: ipv6) { connection in
            connection.readHead()
            connection.send(answer)
        }
    }

    /// What a fresh round over one family finds of a check that expects 204 and of an HTTPS host.
    private func finding(
        _ family: AddressFamily,
        check: UInt16,
        https: UInt16? = nil,
        timeout: Duration = .seconds(60)
    ) async throws -> InternetFinding {
        let loop = try TransferLoop(name: "test", userAgent: "test")
        defer { loop.stop() }
        let host = family == .ipv4 ? "127.0.0.1" : "[::1]"
        let closed = try Loopback.closedPort(ipv6: family == .ipv6)
        var configuration = InternetConfiguration()
        configuration.timeout = timeout
        // Those of the fakes would wait by a clock that stands still.
        configuration.literals = []
        configuration.probes = [
            .init(name: "own", url: "http://\(host):\(check)/generate_204", expectation: .status(204))
        ]
        configuration.https = ["https://\(host):\(https ?? closed)/"]
        let fakes = FakeInternet(alive: ["192.0.2.1", "fe80::1"])
        let round = FamilyRound(
            family: family,
            plan: FamilyPlan(depth: .fresh, asksHTTPS: true),
            gateways: ["192.0.2.1", "fe80::1%eth0"].compactMap(ProbeContext.Gateway.init)
                .filter { $0.address.family == family },
            configuration: configuration,
            tools: RoundTools(
                transfers: loop,
                connecting: fakes,
                pinging: fakes,
                captive: { _ in nil },
                clock: InternetClock(SuspendingClock()),
                record: { _ in }
            )
        )
        return InternetFinding(await round.perform())
    }

    private static let upstream = InternetFinding(state: .noInternet, cause: .upstream)

    static let answers: [(String, InternetFinding)] = [
        ("HTTP/1.1 204 No Content\r\n\r\n", .online),
        ("HTTP/1.1 302 Found\r\nLocation: http://login.test/\r\nContent-Length: 0\r\n\r\n", .captivePortal),
        ("HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n<html>Please log in", .captivePortal),
        ("HTTP/1.1 511 Network Authentication Required\r\nContent-Length: 0\r\n\r\n", .captivePortal),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", upstream),
        ("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", upstream),
        ("220 mail.test ESMTP\r\n", upstream),
    ]

    @Test(arguments: answers, AddressFamily.allCases)
    func `The answer of a real server leads to its verdict`(
        answer: (String, InternetFinding),
        over family: AddressFamily
    )
        async throws
    {
        let server = try Self.server(ipv6: family == .ipv6, answer.0)
        defer { server.close() }
        #expect(try await finding(family, check: server.port) == answer.1)
    }

    @Test func `a redirect is not followed`() async throws {
        let login = try Self.server("HTTP/1.1 204 No Content\r\n\r\n")
        defer { login.close() }
        let server = try Self.server("HTTP/1.1 302 Found\r\nLocation: \(login.url)\r\nContent-Length: 0\r\n\r\n")
        defer { server.close() }
        #expect(try await finding(.ipv4, check: server.port) == .captivePortal)
        #expect(login.accepted == 0)
    }

    @Test func `A server without TLS next to a good check shows no certificate, and is no evidence of a portal`()
        async throws
    {
        let check = try Self.server("HTTP/1.1 204 No Content\r\n\r\n")
        defer { check.close() }
        let https = try RawServer { connection in
            connection.read(1)
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        defer { https.close() }
        #expect(try await finding(.ipv4, check: check.port, https: https.port) == .online)
    }

    @Test func `A silent server behind an answering router means a cut upstream`() async throws {
        let silent = try RawServer { $0.readAll() }
        defer { silent.close() }
        let found = try await finding(.ipv4, check: silent.port, https: silent.port, timeout: .milliseconds(400))
        #expect(found == Self.upstream)
    }

    @Test func `Closed ports behind an answering router do, too`() async throws {
        #expect(try await finding(.ipv6, check: try Loopback.closedPort(ipv6: true)) == Self.upstream)
    }
}
