public import Foundation

/// Why a request brought no body.
public enum HTTPError: Error, Equatable {
    /// Base URL, path or headers make no request; nothing was sent.
    case invalidURL
    /// What came was no HTTP.
    case invalidResponse
    /// Any status but 2xx, with the answer's body.
    case statusCode(Int, Data)
}
