public import Foundation

/// Why a request brought no body.
public enum HTTPError: Error, Equatable {
    /// Base URL, path or headers make no request; nothing was sent.
    case invalidURL
    /// What came was no HTTP, or the base URL is of another scheme; then nothing was sent.
    case invalidResponse
    /// Any status but 2xx, with the answer's body.
    case statusCode(Int, Data)
}
