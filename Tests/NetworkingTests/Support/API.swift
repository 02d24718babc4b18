import Lab
import MicroHTTP
import Networking
import Testing

/// Runs a server for one path while `body` runs, which gets a client of it.
@discardableResult
func serving<Result: Sendable>(
    _ method: MicroHTTP.Method = .get,
    _ path: String = "/api/thing",
    handler: Route.Handler,
    session: URLSession = .shared,
    _ body: @escaping @Sendable (HTTPClient) async throws -> Result
) async throws -> Result {
    let route = Route(method, path, name: "test", bodyLimit: 8_000_000, handler: handler)
    return try await serving([route]) { port in
        let base = try url("http://127.0.0.1:\(port)/api")
        return try await body(HTTPClient(baseURL: base, session: session))
    }
}

/// A body that every test decodes the same way.
struct Thing: Codable, Sendable, Equatable {
    var name: String
    var count: Int
}

/// A URL of a test.
func url(_ text: String) throws -> URL {
    try #require(URL(string: text))
}
