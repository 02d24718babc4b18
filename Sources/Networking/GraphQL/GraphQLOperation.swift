/// A query or mutation, with its variables.
public struct GraphQLOperation: Sendable, Equatable, Encodable {
    /// The document.
    public let query: String
    /// The values of its variables; nil: the body has no such key.
    public let variables: [String: GraphQLVariable]?
    /// Which operation of the document; nil: the body has no such key.
    public let operationName: String?

    /// An operation.
    public init(query: String, variables: [String: GraphQLVariable]? = nil, operationName: String? = nil) {
        self.query = query
        self.variables = variables
        self.operationName = operationName
    }
}

/// The value of a variable: what JSON can express.
public enum GraphQLVariable: Sendable, Equatable, Encodable {
    /// `String`, `ID`, an enumeration, or a scalar of the server's own.
    case string(String)
    /// `Int`.
    case int(Int)
    /// `Float`; neither infinite nor NaN, which JSON has not.
    case double(Double)
    /// `Boolean`.
    case bool(Bool)
    /// An explicit null, which is not the same as an absent variable.
    case null
    /// A list.
    case list([GraphQLVariable])
    /// An input object.
    case object([String: GraphQLVariable])

    /// Writes the JSON value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .null: try container.encodeNil()
        case .list(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }
}

extension GraphQLVariable: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `"text"`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `1`.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// `1.5`.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// `true`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `nil`, which is sent as null.
    public init(nilLiteral: ()) { self = .null }
    /// `[1, "text"]`.
    public init(arrayLiteral elements: GraphQLVariable...) { self = .list(elements) }
    /// `["key": 1]`; a repeated key keeps its last value.
    public init(dictionaryLiteral elements: (String, GraphQLVariable)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
