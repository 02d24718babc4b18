import Coordination
import Foundation
import Lab
import MicroHTTP
import NetworkPath
import Posix
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

/// Clients that leave a `/health` with `wait=` before its end.
@Suite(.timeLimit(.minutes(3)))
struct AbandonedWaitTests {
    private static let wait = Duration.seconds(300)
    /// Connections of one address.
    private static let limit = 20

    private let evaluator: RequirementEvaluator

    init() {
        let monitor = HealthMonitor()
        let path = HealthState.offline().path
        monitor.receive(PathUpdate(path: path, changes: [], generation: 1, evidenceAt: .now, publishedAt: .now))
        evaluator = RequirementEvaluator(monitor: monitor, configuration: Configuration())
    }

    /// Each asks for an earlier time than all before it.
    private func wait(_ number: Int) -> Duration { Self.wait - .milliseconds(10) * number }

    @Test func `twenty thousand waits for ever earlier times leave no wait and few timers`() async {
        for batch in 0..<200 {
            let tasks = (0..<100).map { number in
                Task { await evaluator.verdict(.named("online"), within: wait(100 * batch + number)) }
            }
            while evaluator.waitCount < tasks.count { await Task.yield() }
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value.reasons == [.offline]) }
        }
        #expect(evaluator.waitCount == 0)
        #expect((1...60).contains(evaluator.timerCount))
    }

    /// What the server does at this moment, and did at all.
    private struct Counts {
        var connections = 0
        var tasks = 0
        var begun = 0
        var refused = 0
    }

    @Test func `a flood of clients that leave ends with them, and does not hold up others`() async throws {
        let counts = Locked(Counts())
        let view = HealthView(requirements: evaluator, latency: { nil }, nextMeasurement: { nil })
        let waiting = Route.Handler.waiting { request in
            counts.withLock { counts in
                counts.tasks += 1
                counts.begun += 1
            }
            defer { counts.withLock { $0.tasks -= 1 } }
            return await view.wait(request)
        }
        let routes = [
            Route(.get, "/health", name: "health", handler: waiting),
            Route(.get, "/now", name: "now", handler: .immediate(view.answer)),
        ]
        let configure: (inout Server.Configuration) -> Void = { configuration in
            configuration.connectionsPerAddress = Self.limit
            // A tenth of it is the time between two looks at who has gone.
            configuration.bodyDeadline = .milliseconds(200)
            configuration.onConnection = { event in
                counts.withLock { counts in
                    switch event {
                    case .opened: counts.connections += 1
                    case .closed: counts.connections -= 1
                    case .refused: counts.refused += 1
                    }
                }
            }
        }
        try await serving(routes, configure: configure) { [self] port in
            try await onThread {
                // Each of them waits for the pool, which other tests use, too.
                for number in 0..<600 {
                    let begun = counts.withLock { $0.begun + $0.refused }
                    let flood = try LoopbackClient(port, from: "127.0.0.2")
                    flood.send("GET /health?wait=\(300_000 - number)ms HTTP/1.1\r\nHost: test\r\n\r\n")
                    // Every other one leaves once one waits or is refused.
                    if number % 2 == 0 {
                        try block(until: "a wait or a refusal") {
                            counts.withLock { $0.begun + $0.refused } != begun
                        }
                    }
                    #expect(evaluator.waitCount <= Self.limit)
                    if number % 20 == 0 {
                        let other = try LoopbackClient(port, from: "127.0.0.1")
                        other.send("GET /now HTTP/1.1\r\nHost: test\r\n\r\n")
                        #expect(other.readHead().hasPrefix("HTTP/1.1 503 "))
                    }
                }
            }
            try await eventually("the end of all") { counts.withLock { $0.connections + $0.tasks } <= 0 }
            let found = counts.withLock { $0 }
            #expect(found.begun >= Self.limit, "\(found)")
            #expect(evaluator.waitCount == 0)
            #expect((1...60).contains(evaluator.timerCount))
        }
    }

    /// Runs blocking code on a thread of its own.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}

/// A client with an address of its own on loopback.
private struct LoopbackClient: ~Copyable {
    private let connection: RawConnection

    init(_ port: UInt16, from address: String) throws {
        connection = RawConnection(socket: socket(AF_INET, SocketType.stream | O_CLOEXEC, 0))
        try call("bind", Glibc.bind, address, 0)
        try call("connect", Glibc.connect, "127.0.0.1", port)
    }

    deinit { close(connection.socket) }

    private func call(
        _ name: String,
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ address: String,
        _ port: UInt16
    ) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(connection.socket, $0, size) }
        }
        guard code == 0 else { throw SystemError(call: name, code: errno) }
    }

    func send(_ text: String) { connection.send(text) }

    func readHead() -> String { connection.readHead() }
}
