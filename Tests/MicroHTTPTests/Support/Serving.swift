import Foundation

@testable import MicroHTTP

/// Runs a server on a loopback port while `body` runs, and waits for its end.
func serving<Result: Sendable>(
    _ routes: [Route],
    address: String = "127.0.0.1:0",
    configure: (inout Server.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (UInt16) async throws -> Result
) async throws -> Result {
    var configuration = Server.Configuration(addresses: [try ListenAddress(address)])
    configure(&configuration)
    let server = try Server(configuration: configuration, routes: routes)
    let port = try server.bind()[0].port
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        defer { server.stop() }
        return try await body(port)
    }
}

/// Runs blocking code on a thread of its own, away from the pool that the server's handlers need.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// A route that answers its own path.
func echo(_ method: Method = .get, _ path: String, name: String = "echo", bodyLimit: Int = 0) -> Route {
    Route(method, path, name: name, bodyLimit: bodyLimit, handler: .immediate { .text("\($0.method) \($0.path)") })
}
