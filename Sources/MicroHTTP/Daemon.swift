import CMicroHTTPD
import Glibc

/// libmicrohttpd's daemon: one event thread that serves the connections given to it.
struct Daemon: ~Copyable {
    // Held so that it outlives the callbacks, which have it unretained.
    private let core: ServerCore
    private let pointer: OpaquePointer

    /// Starts it; its own limit, with room for a batch of each listener, is never met: see ``ConnectionCount``.
    init(_ core: ServerCore, listeners: Int) throws(ListenError) {
        self.core = core
        let configuration = core.configuration
        var options = nhe_mhd_options()
        options.context = Unmanaged.passUnretained(core).toOpaque()
        // Room for headers longer than allowed, so that most refusals are ours, and for those of the response. Not more:
        // it is cleared after each request.
        options.memory_per_connection = max(configuration.headerLimit, 4096) + 16_384
        let limit = UInt32(clamping: min(configuration.connectionLimit, Int(Int32.max)))
        options.connections = limit + UInt32(clamping: AcceptLoop.batch * listeners)
        options.idle_seconds = UInt32(clamping: max(1, configuration.idleTimeout.components.seconds))
        options.handle = handleRequest
        options.begin = beginRequest
        options.complete = completeRequest
        options.notify = notifyConnection
        options.log = logMessage
        guard let pointer = nhe_mhd_start(&options) else {
            throw ListenError("cannot start the HTTP event thread", errorNumber: errno)
        }
        self.pointer = pointer
    }

    /// Wakes every sleeping connection, closes all and joins the event thread; blocks for as long as a handler runs.
    deinit {
        core.connections.stop()
        core.upgrades.stop()
        MHD_stop_daemon(pointer)
    }

    /// Hands over an accepted socket.
    ///
    /// - Returns: false when memory has run out: the socket is closed then, and the notification never called.
    func add(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        MHD_add_connection(pointer, descriptor, address, length) == .YES
    }
}
