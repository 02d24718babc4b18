/// A request method, spelled as on the wire (RFC 9110 section 9); case matters.
public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The token.
    public let rawValue: String

    /// Any token; only the registered ones are ever routed.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads.
    public static let get = Method(rawValue: "GET")
    /// Reads the headers only.
    public static let head = Method(rawValue: "HEAD")
    /// Hands something in.
    public static let post = Method(rawValue: "POST")
    /// Replaces.
    public static let put = Method(rawValue: "PUT")
    /// Changes a part.
    public static let patch = Method(rawValue: "PATCH")
    /// Removes.
    public static let delete = Method(rawValue: "DELETE")
    /// Asks what is possible.
    public static let options = Method(rawValue: "OPTIONS")
    /// Asks for an echo.
    public static let trace = Method(rawValue: "TRACE")
    /// Asks a proxy for a tunnel.
    public static let connect = Method(rawValue: "CONNECT")

    /// Those that a path may refuse with 405; any other gets 501.
    static let known: Set<Method> = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]

    /// The token.
    public var description: String { rawValue }
}
