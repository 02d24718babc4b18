/// What a failed request means to a program, without the details of HTTP and GraphQL.
public enum APIError: Error, Equatable {
    /// The request cannot be made.
    case invalidRequest
    /// The answer was none of this API, or there was none: the transfer failed, or was cancelled.
    case invalidResponse
    /// 404.
    case notFound
    /// Any other status that is no success.
    case serverError(statusCode: Int)
    /// The answer was of another form than expected.
    case decodingFailed(description: String)
}

/// Maps the errors of ``HTTPClientContract`` to ``APIError``.
public struct HTTPErrorMapper: Sendable {
    /// A mapper.
    public init() {}

    /// Maps an error of HTTP.
    public func map(_ error: HTTPError) -> APIError {
        switch error {
        case .invalidURL: .invalidRequest
        case .invalidResponse: .invalidResponse
        case .statusCode(404, _): .notFound
        case .statusCode(let code, _): .serverError(statusCode: code)
        }
    }

    /// Maps whatever a client throws; an error of the transfer, such as a time-out, is an `invalidResponse`, as is a cancellation.
    public func map(_ error: any Error) -> APIError {
        switch error {
        case let error as HTTPError: map(error)
        case let error as APIError: error
        case let error as DecodingError: .decodingFailed(description: error.summary)
        default: .invalidResponse
        }
    }
}

extension DecodingError {
    /// Where and why, in one line.
    ///
    /// Such as `items.2.name: Expected String but found null instead.`
    var summary: String {
        let context: Context
        switch self {
        case .dataCorrupted(let found): context = found
        case .keyNotFound(_, let found), .typeMismatch(_, let found), .valueNotFound(_, let found): context = found
        @unknown default: return String(describing: self)
        }
        let path = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }
}
