public import Foundation

/// One request of an API, relative to the base URL of an ``HTTPClient``.
public struct Endpoint: Sendable, Equatable {
    /// Appended to the base URL's path, with or without a slash at its start.
    ///
    /// What a path may not contain is percent-encoded, and an escape such as `%2F` is kept. A question mark begins a query.
    public let path: String
    /// The request method.
    public let method: HTTPMethod
    /// Sent in addition to those of the session.
    public let headers: [String: String]
    /// Appended to the query; every character but letters, digits and `-._~` is percent-encoded, `+` and `&` included.
    public let queryItems: [URLQueryItem]?
    /// The request's body; with `GET` it must be nil, since `URLSession` fails otherwise and sends nothing.
    public let body: Data?

    /// An endpoint.
    public init(
        path: String,
        method: HTTPMethod = .get,
        headers: [String: String] = [:],
        queryItems: [URLQueryItem]? = nil,
        body: Data? = nil
    ) {
        self.path = path
        self.method = method
        self.headers = headers
        self.queryItems = queryItems
        self.body = body
    }
}

/// The methods of an ``Endpoint``, spelled as on the wire.
public enum HTTPMethod: String, Sendable, CaseIterable {
    /// Reads.
    case get = "GET"
    /// Submits data.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
}
