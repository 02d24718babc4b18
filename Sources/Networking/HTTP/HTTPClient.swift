public import Foundation
public import FoundationNetworking

/// Performs the requests of an API with `URLSession`.
///
/// ```swift
/// let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1")!)
/// let user: User = try await client.request(Endpoint(path: "/users/1"))
/// ```
///
/// A status other than 2xx throws ``HTTPError/statusCode(_:_:)`` with the body. Redirects are followed as the session does it. On
/// Linux it repeats a `POST` after 307 and 308 without its body, and sends the headers of the endpoint, `Authorization` included,
/// wherever the redirect leads, also to another host. Therefore a base URL should be the final one, of a server that is trusted.
/// A body that cannot be decoded throws a `DecodingError`, and a transfer without an answer a `URLError`. Cancelling the task
/// cancels the transfer.
public struct HTTPClient: HTTPClientContract {
    /// What every request is below.
    public let baseURL: URL
    private let session: URLSession
    private let decoder: JSONDecoder

    /// A client of one API.
    ///
    /// - Parameters:
    ///   - baseURL: An http or https URL; its path and query are kept in every request.
    ///   - session: Performs the requests, with its time-outs, its headers and its cache.
    ///   - decoder: Decodes the bodies.
    public init(baseURL: URL, session: URLSession = .shared, decoder: JSONDecoder = JSONDecoder()) {
        self.baseURL = baseURL
        self.session = session
        self.decoder = decoder
    }

    /// Performs a request and decodes the body of its answer; throws as described above.
    @concurrent public func request<T: Decodable>(_ endpoint: Endpoint) async throws -> T {
        let data: Data = try await request(endpoint)
        return try decoder.decode(T.self, from: data)
    }

    /// Performs a request and returns the body of its answer, which may be empty; throws as described above.
    @concurrent public func request(_ endpoint: Endpoint) async throws -> Data {
        let (data, response) = try await session.data(for: try endpoint.request(below: baseURL))
        guard let answer = response as? HTTPURLResponse else { throw HTTPError.invalidResponse }
        guard (200..<300).contains(answer.statusCode) else { throw HTTPError.statusCode(answer.statusCode, data) }
        return data
    }
}

extension Endpoint {
    /// The request of this endpoint below a base URL.
    ///
    /// - Throws: `invalidURL`, also for a header that could become two.
    func request(below base: URL) throws(HTTPError) -> URLRequest {
        var request = URLRequest(url: try url(below: base))
        request.httpMethod = method.rawValue
        request.httpBody = body
        for (name, value) in headers {
            let isOneLine = "\(name)\(value)".unicodeScalars.allSatisfy { !["\r", "\n", "\0"].contains($0) }
            guard !name.isEmpty, !name.contains(":"), isOneLine else { throw .invalidURL }
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}
