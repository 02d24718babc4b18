import Foundation
import MicroHTTP
import Testing

/// Runs blocking code on a thread of its own, away from the pool that the server's handlers need.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// A route that answers its own path.
func echo(_ method: MicroHTTP.Method = .get, _ path: String, name: String = "echo", bodyLimit: Int = 0) -> Route {
    Route(method, path, name: name, bodyLimit: bodyLimit, handler: .immediate { .text("\($0.method) \($0.path)") })
}

/// A route that gives its connection away.
func upgrading(
    _ path: String = "/ws",
    headers: Headers,
    serve: @escaping @Sendable (UpgradedSocket, [UInt8]) -> Void
) -> Route {
    Route(.get, path, name: "ws", handler: .immediate { _ in .upgrade(headers: headers, serve: serve) })
}

/// Holds the event thread in a handler, so that nothing else is answered meanwhile.
struct HeldEventThread: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// Answers `now` when it is released, after 10 s at the latest.
    var route: Route {
        Route(
            .get,
            "/block",
            name: "block",
            handler: .immediate { _ in
                entered.signal()
                _ = released.wait(timeout: .now() + 10)
                return .text("now")
            }
        )
    }

    /// Returns once the handler runs; the client reads the answer later.
    func hold(by client: Client) throws {
        try client.send("GET /block HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(entered.wait(timeout: .now() + 10) == .success)
    }

    func release() { released.signal() }
}
