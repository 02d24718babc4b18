import Coordination
import Posix
import Statistics
import Testing

@testable import Probing

/// Against a real UDP server on loopback.
@Suite(.timeLimit(.minutes(3)))
struct STUNClientTests {
    private let readiness: Readiness

    init() throws { readiness = try Readiness(name: "stun") }

    /// What the client gets of a server that answers so.
    ///
    /// The server has a thread of its own: the pool may be busy for longer than the client waits.
    private func answer(_ answers: @escaping FaultServer.Answers) async throws -> STUNClient.Answer {
        let server = try FaultServer(datagram: answers)
        let address = try #require(SocketAddress(server.address))
        let answer = await STUNClient(readiness: readiness).ask(address)
        withExtendedLifetime(server) {}
        return answer
    }

    private static func answer(to request: [UInt8]) -> [UInt8] {
        let mapped = zip([198, 18, 7, 9] as [UInt8], request[4...]).map { $0 ^ $1 }
        return [1, 1, 0, 12] + request[4...] + [0, 0x20, 0, 8, 0, 1, 0, 0] + mapped
    }

    @Test func `the server's answer is taken, and garbage before it is not`() async throws {
        let start = ContinuousClock.now
        let found = try await answer { request in
            let good = Self.answer(to: request)
            var (foreign, cookie, long) = (good, good, good)
            foreign[19] ^= 1
            cookie[4] ^= 1
            long[23] = 0xff
            // Each with another address, which must not be taken.
            let garbage = [[], Array(good.prefix(25)), foreign, cookie, long, [UInt8](repeating: 0xff, count: 300)]
            return garbage + [good]
        }
        #expect(found.address == IPAddress("198.18.7.9"))
        // Garbage has no request sent again; only the end of the wait has, where the client or its server was held up.
        let isLate = start.duration(to: .now) >= STUNClient.timeout
        #expect(found.traffic.transmitted == 48 || isLate && found.traffic.transmitted == 96)
    }

    @Test func `a lost request is sent again`() async throws {
        let count = Mutable()
        let found = try await answer { request in count.next() == 1 ? [] : [Self.answer(to: request)] }
        #expect(found.address == IPAddress("198.18.7.9") && found.traffic.transmitted == 96 && count.next() == 3)
    }

    @Test func `garbage alone is no answer, and a closed port ends the question at once`() async throws {
        #expect(try await answer { _ in [[1, 1, 0, 12]] }.address == nil)
        // Where no socket is: the kernel gives this port to none.
        let closed = try #require(SocketAddress("127.9.8.7:9"))
        let refused = await STUNClient(readiness: readiness).ask(closed)
        #expect(refused.address == nil)
        #expect(refused.traffic.transmitted == 48, "an ICMP error ends the wait: nothing is sent again")
    }
}

/// Counts calls.
private final class Mutable: Sendable {
    private let count = Locked(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
