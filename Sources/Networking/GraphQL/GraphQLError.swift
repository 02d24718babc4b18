public import Foundation

/// Why an operation brought no data.
public enum GraphQLError: Error, Equatable {
    /// Any status but 2xx, with the answer's body.
    case statusCode(Int, Data)
    /// The server reports errors, with or without partial data.
    case response([GraphQLResponseError])
    /// The answer is no JSON, or of another form than expected.
    case decodingFailed(description: String)
    /// An answer with neither data nor errors, or none of HTTP.
    case invalidResponse

    /// What a decoder has thrown.
    package init(decoding error: any Error) {
        self = .decodingFailed(description: (error as? DecodingError)?.summary ?? String(describing: error))
    }
}

/// Maps the errors of ``GraphQLClientContract`` to ``APIError``.
public struct GraphQLErrorMapper: Sendable {
    /// A mapper.
    public init() {}

    /// Maps an error of GraphQL.
    public func map(_ error: GraphQLError) -> APIError {
        switch error {
        case .statusCode(404, _): .notFound
        case .statusCode(let code, _): .serverError(statusCode: code)
        case .response, .invalidResponse: .invalidResponse
        case .decodingFailed(let description): .decodingFailed(description: description)
        }
    }

    /// Maps whatever a client throws; an error of the transfer, such as a time-out, is an `invalidResponse`.
    public func map(_ error: any Error) -> APIError {
        if let error = error as? GraphQLError { map(error) } else { HTTPErrorMapper().map(error) }
    }
}
