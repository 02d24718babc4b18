/// One row of the server's table: which requests, and what answers them.
public struct Route: Sendable {
    /// How the answer is made, which is also what it costs.
    public enum Handler: Sendable {
        /// Called on the event thread: only reads memory and returns; while it runs nobody else is served.
        case immediate(@Sendable (Request) -> Response)
        /// Called in a task, cancelled when the client goes away or the server stops; the connection sleeps meanwhile.
        case waiting(@Sendable (Request) async -> Response)
        /// Called on the event thread when the headers have come, and says who takes the body; ``Route/bodyLimit`` has no
        /// say.
        case sink(@Sendable (Request) -> Admission)
    }

    /// Whether a body is wanted.
    public enum Admission {
        /// The sink takes it, and answers.
        case accept(any BodySink)
        /// Answered before the body has come, where the client waits for that (`Expect`) or the body is large.
        case refuse(Response)
    }

    /// For metrics and logs.
    public var name: String
    /// `get` answers `HEAD` too, unless a row of its own does.
    public var method: Method
    /// An exact path, or all below a folder: `/api/v1/requests/*`, which `/api/v1/requests` alone does not match.
    public var path: String
    /// Bytes of body that a request may bring; more gets 413.
    public var bodyLimit: Int
    /// Which of the matching requests are meant, seen before their body has come; the first row that says yes is taken.
    public var when: (@Sendable (Request) -> Bool)?
    /// What answers.
    public var handler: Handler

    /// A row; without a `bodyLimit` the request may have no body.
    public init(
        _ method: Method,
        _ path: String,
        name: String,
        bodyLimit: Int = 0,
        when: (@Sendable (Request) -> Bool)? = nil,
        handler: Handler
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.bodyLimit = bodyLimit
        self.when = when
        self.handler = handler
    }
}
