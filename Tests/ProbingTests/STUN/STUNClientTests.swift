import Coordination
import Glibc
import Lab
import Posix
import Statistics
import Testing

@testable import Probing

/// Against a real UDP server on loopback.
@Suite(.timeLimit(.minutes(1)))
struct STUNClientTests {
    private let readiness: Readiness

    init() throws { readiness = try Readiness(name: "stun") }

    /// Answers requests with what `answers` makes of them, until the task is cancelled.
    private func serve(_ number: Int32, _ answers: @Sendable (_ request: [UInt8]) -> [[UInt8]]) async {
        while await readiness.wait(for: number, .readable, until: .now + .seconds(60)) {
            var (request, address, length) = ([UInt8](repeating: 0, count: 512), sockaddr_storage(), socklen_t(128))
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    let count = recvfrom(number, &request, request.count, 0, pointer, &length)
                    guard count > 0 else { return }
                    for answer in answers(Array(request.prefix(count))) {
                        _ = sendto(number, answer, answer.count, 0, pointer, length)
                    }
                }
            }
        }
    }

    private func answer(_ answers: @escaping @Sendable (_ request: [UInt8]) -> [[UInt8]]) async throws
        -> STUNClient.Answer
    {
        let number = socket(AF_INET, SocketType.datagram | SocketType.flags, 0)
        defer { close(number) }
        let port = try Loopback.bind(number, ipv6: false, port: 0)
        let server = try #require(SocketAddress("127.0.0.1:\(port)"))
        return await withTaskGroup { group in
            group.addTask { await serve(number, answers) }
            defer { group.cancelAll() }
            return await STUNClient(readiness: readiness).ask(server)
        }
    }

    private static func answer(to request: [UInt8]) -> [UInt8] {
        let mapped = zip([198, 18, 7, 9] as [UInt8], request[4...]).map { $0 ^ $1 }
        return [1, 1, 0, 12] + request[4...] + [0, 0x20, 0, 8, 0, 1, 0, 0] + mapped
    }

    @Test func `the server's answer is taken, and garbage before it is not`() async throws {
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
        #expect(found.traffic.transmitted == 48)
    }

    @Test func `a lost request is sent again`() async throws {
        let count = Mutable()
        let found = try await answer { request in count.next() == 1 ? [] : [Self.answer(to: request)] }
        #expect(found.address == IPAddress("198.18.7.9") && found.traffic.transmitted == 96 && count.next() == 3)
    }

    @Test func `garbage alone is no answer, and a closed port ends the question at once`() async throws {
        #expect(try await answer { _ in [[1, 1, 0, 12]] }.address == nil)
        let port = try Loopback.closedPort()
        let closed = try #require(SocketAddress("127.0.0.1:\(port)"))
        let start = ContinuousClock.now
        #expect(await STUNClient(readiness: readiness).ask(closed).address == nil)
        #expect(start.duration(to: .now) < STUNClient.timeout, "an ICMP error ends the wait")
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
