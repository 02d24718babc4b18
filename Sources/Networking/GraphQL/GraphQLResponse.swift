/// The body of an answer: what ``GraphQLClient`` reads, public for programs that use partial data.
public struct GraphQLResponse<T: Decodable>: Decodable {
    /// What was asked for; nil where it is absent or null, or where errors left it incomplete.
    public let data: T?
    /// What failed; nil where nothing did.
    public let errors: [GraphQLResponseError]?

    /// A response, for tests.
    public init(data: T? = nil, errors: [GraphQLResponseError]? = nil) {
        self.data = data
        self.errors = errors
    }

    /// Reads the errors first: partial data that is not of this type is no failure beside them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        errors = try container.decodeIfPresent([GraphQLResponseError].self, forKey: .errors)
        do {
            data = try container.decodeIfPresent(T.self, forKey: .data)
        } catch {
            // The errors explain what is missing, and a caller wants to see them.
            guard let errors, !errors.isEmpty else { throw error }
            data = nil
        }
    }

    private enum Key: CodingKey { case data, errors }
}

extension GraphQLResponse: Sendable where T: Sendable {}

/// One error of a server's answer.
public struct GraphQLResponseError: Error, Sendable, Equatable, Decodable {
    /// A place in the document, counted from 1.
    public struct Location: Sendable, Equatable, Decodable {
        /// The line.
        public let line: Int
        /// The column.
        public let column: Int

        /// A place.
        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// For the developer.
    public let message: String
    /// Where in the document.
    public let locations: [Location]?
    /// Where in the data; an index of a list is its decimal string.
    public let path: [String]?

    /// An error, for tests.
    public init(message: String, locations: [Location]? = nil, path: [String]? = nil) {
        self.message = message
        self.locations = locations
        self.path = path
    }

    /// Reads an error; its extensions are left out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        message = try container.decode(String.self, forKey: .message)
        locations = try container.decodeIfPresent([Location].self, forKey: .locations)
        path = try container.decodeIfPresent([PathElement].self, forKey: .path)?.map(\.text)
    }

    private enum Key: CodingKey { case message, locations, path }

    private struct PathElement: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(Int.self)).map { "\($0)" } ?? container.decode(String.self)
        }
    }
}
