/// One row of the server's table: which requests it matches, and their handler.
public struct Route: Sendable {
    /// How the answer is made, which also determines its cost.
    public enum Handler: Sendable {
        /// Called on the event thread: must only read memory and return, as no other client is served meanwhile.
        case immediate(@Sendable (Request) -> Response)
        /// Called in a task, cancelled when the client goes away or the server stops; the connection is suspended
        /// meanwhile. ``Server/run()`` waits for its end, without a limit.
        case waiting(@Sendable (Request) async -> Response)
        /// Like `waiting`, for an answer that is held back until something has happened: `present` answers at once, on the
        /// event thread, where the place is needed for another client (``Server/Configuration/heldPerNetwork``).
        case longPoll(@Sendable (Request) async -> Response, present: @Sendable (Request) -> Response)
        /// Called on the event thread when the headers have arrived; returns the sink for the body. ``Route/bodyLimit``
        /// does not apply.
        case sink(@Sendable (Request) -> Admission)
    }

    /// Whether a body is accepted.
    public enum Admission {
        /// The sink takes the body, and answers.
        case accept(any BodySink)
        /// Answered before the body has arrived. Without `Expect` some of it arrives all the same and is not read: its
        /// bytes are reported to `discard` when the connection closes.
        case refuse(Response, discard: (@Sendable (Int) -> Void)? = nil)
    }

    /// For metrics and logs.
    public var name: String
    /// `get` also answers `HEAD`, unless another row does.
    public var method: Method
    /// An exact path, or all below a folder: `/api/v1/requests/*`, which does not match `/api/v1/requests` itself.
    public var path: String
    /// The maximum body in bytes; a larger one gets 413.
    public var bodyLimit: Int
    /// A further condition, evaluated before the body has arrived; the first matching row is taken.
    public var when: (@Sendable (Request) -> Bool)?
    /// Judges a request by its headers, on the event thread: a response refuses it, and its body is not kept.
    public var refusal: (@Sendable (Request) -> Response?)?
    /// The handler.
    public var handler: Handler

    /// A row; without a `bodyLimit` the request may have no body.
    public init(
        _ method: Method,
        _ path: String,
        name: String,
        bodyLimit: Int = 0,
        when: (@Sendable (Request) -> Bool)? = nil,
        refusal: (@Sendable (Request) -> Response?)? = nil,
        handler: Handler
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.bodyLimit = bodyLimit
        self.when = when
        self.refusal = refusal
        self.handler = handler
    }
}

/// Takes the body of one request as it arrives, so that it may be of any size: the server keeps nothing of it.
///
/// Made by a ``Route/Handler/sink(_:)`` once the headers have arrived. Called on the event thread, so be brief.
public protocol BodySink: AnyObject {
    /// The time from the end of the headers to the end of the body; then the client gets 408 and the connection is
    /// closed.
    var deadline: Duration { get }

    /// Takes the next bytes.
    ///
    /// Return nil to continue. A response refuses the rest: it is sent at once, nothing more is read, and the connection
    /// is closed when the client closes its side, or a second later.
    func receive(_ piece: RawSpan) -> Response?

    /// Returns the answer: the body is complete.
    func finish() -> Response

    /// Called if the rest will not arrive: refused, too late, or the client has gone.
    func abort()

    /// Called after ``abort()`` of a refused body, with its bytes that arrived and were not read.
    func discard(_ count: Int)
}

extension BodySink {
    /// Counts nothing.
    public func discard(_ count: Int) {}
}

/// Finds the row for a request.
struct RouteTable: Sendable {
    enum Outcome {
        case found(Route)
        case notFound
        /// The path has other methods, sorted, for `Allow`.
        case notAllowed([Method])
    }

    private var exact: [String: [Route]] = [:]
    /// By folder with its slash, the longest first.
    private var folders: [(folder: String, routes: [Route])] = []

    init(_ routes: [Route]) {
        for route in routes {
            guard route.path.hasSuffix("/*") else {
                exact[route.path, default: []].append(route)
                continue
            }
            let folder = String(route.path.dropLast())
            if let index = folders.firstIndex(where: { $0.folder == folder }) {
                folders[index].routes.append(route)
            } else {
                folders.append((folder, [route]))
            }
        }
        folders.sort { $0.folder.utf8.count > $1.folder.utf8.count }
    }

    /// An exact path goes before a folder, a longer folder before a shorter, then the order of the table.
    func find(_ request: Request) -> Outcome {
        let rows = rows(for: request.path).filter { $0.when?(request) ?? true }
        guard !rows.isEmpty else { return .notFound }
        if let route = rows.first(where: { $0.method == request.method }) { return .found(route) }
        if request.method == .head, let route = rows.first(where: { $0.method == .get }) { return .found(route) }
        var methods = Set(rows.map(\.method))
        if methods.contains(.get) { methods.insert(.head) }
        return .notAllowed(methods.sorted { $0.rawValue < $1.rawValue })
    }

    private func rows(for path: String) -> [Route] {
        let exactRows = exact[path] ?? []
        guard !folders.isEmpty else { return exactRows }
        return folders.reduce(into: exactRows) { rows, entry in
            if path.hasPrefix(entry.folder) { rows += entry.routes }
        }
    }
}
