import Foundation
import MicroHTTP

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
