package import MicroHTTP

/// Runs a server on a loopback port while `body` runs, and waits for its end.
package func serving<Result: Sendable>(
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
