public import Foundation

/// Executes GraphQL operations: what a program depends on, so that tests can replace ``GraphQLClient``.
public protocol GraphQLClientContract: Sendable {
    /// Executes an operation and decodes the `data` of its answer.
    @concurrent func execute<T: Decodable>(_ operation: GraphQLOperation) async throws -> T
}

/// Executes GraphQL operations over HTTP: a `POST` of JSON through any ``HTTPClientContract``.
///
/// ```swift
/// let client = GraphQLClient(httpClient: HTTPClient(baseURL: url))
/// let operation = GraphQLOperation(query: "query($id: ID!) { user(id: $id) { name } }", variables: ["id": "1"])
/// let answer: Answer = try await client.execute(operation)
/// ```
///
/// An answer with errors throws ``GraphQLError/response(_:)``, also beside partial data. To use partial data, request a
/// ``GraphQLResponse`` from the HTTP client, with a `POST` of the encoded operation and `Content-Type: application/json`. A
/// request that cannot be made throws ``HTTPError/invalidURL``. Errors of the transfer itself, such as a time-out, are those
/// of the HTTP client, unchanged.
public struct GraphQLClient: GraphQLClientContract {
    private let httpClient: any HTTPClientContract
    private let path: String
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// A client of one GraphQL endpoint.
    ///
    /// - Parameters:
    ///   - httpClient: Performs the requests.
    ///   - path: The endpoint's, below the base URL of the HTTP client.
    ///   - encoder: Encodes the operations.
    ///   - decoder: Decodes the answers.
    public init(
        httpClient: any HTTPClientContract,
        path: String = "/graphql",
        encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) {
        self.httpClient = httpClient
        self.path = path
        self.encoder = encoder
        self.decoder = decoder
    }

    /// Executes an operation and decodes the `data` of its answer; throws as described above.
    @concurrent public func execute<T: Decodable>(_ operation: GraphQLOperation) async throws -> T {
        let endpoint = Endpoint(
            path: path,
            method: .post,
            headers: ["Content-Type": "application/json"],
            body: try encoder.encode(operation)
        )
        let answer: Data
        do {
            answer = try await httpClient.request(endpoint)
        } catch HTTPError.statusCode(let code, let body) {
            throw GraphQLError.statusCode(code, body)
        } catch HTTPError.invalidResponse {
            throw GraphQLError.invalidResponse
        }
        return try Self.data(in: answer, with: decoder)
    }

    /// The `data` of an answer's body.
    static func data<T: Decodable>(in body: Data, with decoder: JSONDecoder) throws(GraphQLError) -> T {
        let response: GraphQLResponse<T>
        do {
            response = try decoder.decode(GraphQLResponse<T>.self, from: body)
        } catch {
            throw GraphQLError(decoding: error)
        }
        if let errors = response.errors, !errors.isEmpty { throw .response(errors) }
        guard let data = response.data else { throw .invalidResponse }
        return data
    }
}
