/// A request, complete with its body.
public struct Request: Sendable {
    /// One name and value of the query, decoded.
    public struct QueryItem: Sendable, Hashable {
        /// The part before the first `=`.
        public var name: String
        /// Empty when there was no `=`.
        public var value: String

        /// A pair.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// `HEAD` arrives at the routes of `GET` as `head`.
    public var method: Method
    /// The target of the request line, undecoded.
    public var target: String
    /// The path, percent-decoded, beginning with `/`; dots and doubled slashes are kept.
    public var path: String
    /// The query in order, percent-decoded, with `+` as a space.
    public var query: [QueryItem]
    /// As received.
    public var headers: Headers
    /// Empty until the request is complete, also for a route's `when`.
    public var body: [UInt8] {
        get { storage?.all ?? [] }
        set { storage = RequestBody(newValue) }
    }
    var storage: RequestBody?
    /// The client's address without port, `192.0.2.1` or `2001:db8::1`; empty on a Unix socket.
    public var peer: String
    /// Whether it came through TLS.
    public var isTLS = false

    /// For tests of a handler; the server makes its own.
    public init(
        method: Method = .get,
        target: String = "/",
        path: String = "/",
        query: [QueryItem] = [],
        headers: Headers = [:],
        body: [UInt8] = [],
        peer: String = ""
    ) {
        self.method = method
        self.target = target
        self.path = path
        self.query = query
        self.headers = headers
        storage = body.isEmpty ? nil : RequestBody(body)
        self.peer = peer
    }

    /// Removes the body from this request and its copies, so that a handler that has decoded it can free it; it counts for
    /// ``Server/Configuration/bodyMemory`` until the last copy of the request ends.
    public func takeBody() -> [UInt8] { storage?.take() ?? [] }

    /// The first value of that name in the query.
    public func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Every value of that name in the query, in order.
    public func queryValues(_ name: String) -> [String] { query.compactMap { $0.name == name ? $0.value : nil } }
}

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
    /// Submits data.
    public static let post = Method(rawValue: "POST")
    /// Replaces.
    public static let put = Method(rawValue: "PUT")
    /// Changes a part.
    public static let patch = Method(rawValue: "PATCH")
    /// Removes.
    public static let delete = Method(rawValue: "DELETE")
    /// Requests the allowed methods.
    public static let options = Method(rawValue: "OPTIONS")
    /// Requests an echo.
    public static let trace = Method(rawValue: "TRACE")
    /// Requests a tunnel from a proxy.
    public static let connect = Method(rawValue: "CONNECT")

    /// Those that get 405 where not allowed; any other gets 501.
    static let known: Set<Method> = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]

    /// The token.
    public var description: String { rawValue }
}
