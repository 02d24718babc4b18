import CMicroHTTPD
import Coordination
import Glibc
import Posix

/// libmicrohttpd's daemon: one event thread that serves the connections given to it.
struct Daemon: ~Copyable {
    // Retained here, as the callbacks have it unretained.
    private let core: ServerCore
    private let pointer: OpaquePointer

    /// Starts libmicrohttpd, whose own limit has room for a batch of each listener and for what is evicted, and is never reached: see ``ConnectionCount``.
    init(_ core: ServerCore, listeners: Int) throws(ListenError) {
        self.core = core
        let configuration = core.configuration
        var options = nhe_mhd_options()
        options.context = Unmanaged.passUnretained(core).toOpaque()
        // Room for headers longer than allowed, so that most refusals are ours, and for those of the response. Not
        // more, as it is cleared after each request.
        options.memory_per_connection = max(configuration.headerLimit, 4096) + 16_384
        let limit = UInt32(clamping: min(configuration.connectionLimit, Int(Int32.max)))
        options.connections = limit + UInt32(clamping: AcceptLoop.batch * listeners + ConnectionTable.maxEvicted)
        options.idle_seconds = UInt32(clamping: max(1, configuration.idleTimeout.components.seconds))
        options.tls = configuration.tls == nil ? 0 : 1
        options.strict = LibraryVersion.current.hasStrictParser ? 1 : 0
        options.handle = handleRequest
        options.begin = beginRequest
        options.complete = completeRequest
        options.notify = notifyConnection
        options.log = logMessage
        guard let pointer = nhe_mhd_start(&options) else {
            throw ListenError("cannot start the HTTP event thread", errorNumber: errno)
        }
        guard nhe_mhd_add_wakeup(pointer, core.eventWakeup.number) == 0 else {
            let code = errno
            MHD_stop_daemon(pointer)
            throw ListenError("cannot wake the HTTP event thread", errorNumber: code)
        }
        self.pointer = pointer
    }

    /// Resumes every suspended connection, closes all and joins the event thread; blocks for as long as a handler runs.
    deinit {
        core.connections.stop()
        core.upgrades.stop()
        MHD_stop_daemon(pointer)
    }

    /// How many events libmicrohttpd takes at a time (`MAX_EVENTS` in its daemon.c).
    private static let eventsAtATime = 128

    /// How often the event thread is woken while it may have events that it does not handle.
    static let handoverInterval: Duration = .milliseconds(50)

    /// Whether the event thread may have events that it does not handle until it is woken.
    ///
    /// It collects events as long as it gets as many as it takes at a time, with the time-out of an idle connection: after
    /// exactly so many it waits for another one first (0.9.75 and 1.0.1, `MHD_epoll`).
    var mayHaveEvents: Bool {
        // One more event may be that of a connection that is added.
        core.connections.count >= Self.eventsAtATime - 1
    }

    /// Passes an accepted socket to libmicrohttpd.
    ///
    /// - Returns: false if memory has run out: then the socket is closed, and the notification is never called.
    func add(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        MHD_add_connection(pointer, descriptor, address, length) == .YES
    }
}

/// The shared state of the accept loop, the event thread and the sweep of one server.
final class ServerCore: Sendable {
    let configuration: Server.Configuration
    let routes: RouteTable
    let connections: ConnectionTable
    let tasks = RequestTasks()
    let upgrades: UpgradeTable
    let bodyMemory: BodyMemory
    /// nil where every client is answered.
    let authenticator: Authenticator?
    /// Wakes the accept loop, and asks it to end.
    let mailbox: Mailbox<Void>
    /// Wakes the event thread.
    let eventWakeup: Wakeup
    let reserve = DescriptorReserve()
    // Sendable by proof: only the event thread touches it.
    nonisolated(unsafe) private var gzip: Gzip?

    init(configuration: Server.Configuration, routes: [Route]) throws(SystemError) {
        self.configuration = configuration
        self.routes = RouteTable(routes)
        connections = ConnectionTable(
            limit: configuration.connectionLimit,
            limitPerAddress: configuration.connectionsPerAddress,
            heldPerNetwork: configuration.heldPerNetwork,
            arrivalGrace: configuration.arrivalGrace * (configuration.tls == nil ? 1 : 2)
        )
        upgrades = try UpgradeTable(limit: configuration.upgradeLimit)
        authenticator = configuration.access == nil ? nil : try Authenticator()
        mailbox = try Mailbox(capacity: 1)
        eventWakeup = try Wakeup()
        bodyMemory = BodyMemory(limit: configuration.bodyMemory)
    }

    var deadlines: Deadlines {
        Deadlines(
            headers: configuration.headerDeadline,
            body: configuration.bodyDeadline,
            idle: configuration.idleTimeout
        )
    }

    /// Ends the accept loop, and with it the server; from any thread.
    func stop() {
        mailbox.stop()
    }

    /// On the event thread: the body in gzip format; nil: failed, or not smaller.
    func compress(_ body: Response.Body) -> [UInt8]? {
        if gzip == nil { gzip = Gzip() }
        return gzip?.compress(body)
    }
}

extension ServerCore {
    /// The answer to a late request, as sent now.
    var lateMessage: [UInt8] {
        message(configuration.answer(to: RequestError(status: 408, message: "the request did not come in time")))
    }

    /// The answer to a refused connection, as sent.
    func message(_ refusal: Server.Refusal) -> [UInt8] {
        let text =
            switch refusal {
            case .total: "too many connections, at most \(configuration.connectionLimit)"
            case .address: "too many connections from this address, at most \(configuration.connectionsPerAddress)"
            case .descriptors: "the process has too many open files"
            case .evicted: "too many connections: this one was closed in favour of a newer one"
            }
        return message(configuration.answer(to: .overloaded(text)), date: nil)
    }

    /// A short answer as sent, the last on its connection; empty for a body that is not bytes.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - date: When it is sent; nil where that is not known, which a status from 500 on allows (RFC 9110, 6.6.1).
    ///   - isHead: Whether it answers `HEAD`, and has no body.
    /// - Returns: The bytes.
    func message(_ response: Response, date: Duration? = WallClock.now, isHead: Bool = false) -> [UInt8] {
        guard case .bytes(let body) = response.body else { return [] }
        let reason = MHD_get_reason_phrase_for(UInt32(clamping: response.status)).map { String(cString: $0) } ?? ""
        var head = "HTTP/1.1 \(response.status) \(reason)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        if let date = date.flatMap(DateField.text) { head += "Date: \(date)\r\n" }
        let common = configuration.commonHeaders.fields.filter { response.headers[$0.name] == nil }
        for field in response.headers.fields + common { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8) + (isHead ? [] : body)
    }

    /// Reports a log message of libmicrohttpd, and counts the errors that it answers itself.
    func note(_ message: String) {
        let prefix = "Error processing request (HTTP response code is "
        if message.hasPrefix(prefix), let status = Int(message.dropFirst(prefix.count).prefix(3)) {
            configuration.onResponse(nil, status)
        }
        configuration.onEvent(.diagnostic(String(message.prefix { $0 != "\n" })))
    }
}
