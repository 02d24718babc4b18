import Posix

extension Server {
    /// Where a server listens and what it allows; every limit has a default.
    public struct Configuration: Sendable {
        /// Addresses to listen on.
        public var addresses: [ListenAddress]
        /// Listening sockets of another process (systemd's `LISTEN_FDS`); the server owns them from `bind` on.
        public var adoptedDescriptors: [Int32] = []

        /// The maximum number of connections.
        ///
        /// At the limit a new one takes the place of one whose client has gone while its answer is made, else of the
        /// oldest incomplete request, else of the oldest answer of which the client took nothing for 5 s, else of the
        /// oldest idle connection, else of a request that is held, which is answered. Where there is none of these, the
        /// new one gets 503 at once, and is closed.
        public var connectionLimit = 512
        /// Connections from one address; one more takes the place of another one of this address, as above.
        public var connectionsPerAddress = 100
        /// How long a connection is spared, by those that need its place, while its first request arrives: since it was opened, or since
        /// the server had bytes of it to read, and twenty times that in all.
        ///
        /// An answer has it, too. It is twice as long with TLS, whose handshake takes two round trips. A new connection waits until then, if it finds no other place, so that a handshake is not
        /// interrupted by the hundreds that begin after it.
        public var arrivalGrace: Duration = .milliseconds(50)
        /// Accepted connections that may wait for a place; at most a quarter of the descriptors.
        ///
        /// They are silent, or no other connection can be closed yet. One more takes the place of a silent one, else of the
        /// oldest, of the client that has the most.
        public var waitingLimit = 512
        /// Requests of one IPv4 address, or of one IPv6 /64, that may be held: long polls, and passwords that wait for their
        /// check; all together have three quarters of ``connectionLimit``.
        ///
        /// One more takes the place of the oldest one: of this address, or of the one that has the most. That one is
        /// answered at once, and its connection is closed.
        public var heldPerNetwork = 64
        /// Bytes that the bodies of all requests may take together with what their handlers decode from them.
        ///
        /// Each byte that is kept counts four times. A request that would exceed it gets 503.
        public var bodyMemory = 32 << 20
        /// Bytes of a request line with its headers; more gets 431 (414 while still in the request line).
        public var headerLimit = 16_384
        /// From the acceptance of a connection to the end of its first headers; then the connection is closed.
        public var headerDeadline: Duration = .seconds(10)
        /// From the end of the headers to the end of the body; then the connection is closed.
        public var bodyDeadline: Duration = .seconds(30)
        /// From an answer of bytes to its end, for a client that takes it slowly; then the connection is closed.
        ///
        /// Streams have none; see ``RepeatedBytes/deadline``.
        public var answerDeadline: Duration = .seconds(60)
        /// How long a connection may be silent, in a request, an answer or between two; whole seconds, at least 1.
        public var idleTimeout: Duration = .seconds(60)
        /// Connections that may be upgraded at the same time, a thread each; one more gets 503.
        public var upgradeLimit = 16
        /// Bytes of a streamed response that may wait for a slow client before its task has to wait too.
        public var streamBuffer = 65_536
        /// Bodies from this size on are compressed where response and client allow it; below it is not worth the bytes.
        public var compressionMinimum = 256
        /// Bodies above this size are not compressed, since that happens on the event thread: 4 MiB of metrics take about 8 ms.
        public var compressionMaximum = 4_194_304

        /// The TLS of a new connection, evaluated before each handshake, on the event thread; nil refuses the handshake.
        ///
        /// Where this is nil itself, the server speaks HTTP without TLS. With TLS a refused or late connection is shut down
        /// without an answer.
        public var tls: (@Sendable () -> TLSContext?)?
        /// Who is answered, evaluated for each request on the event thread; nil: every client.
        public var access: (@Sendable () -> AccessPolicy)?

        /// Added to every answer that does not have a field of that name; not to those that libmicrohttpd makes.
        public var commonHeaders: Headers = [:]
        /// The answer for a status that the server itself finds, with the request's path (undecoded where it cannot be
        /// decoded) and a sentence; `Allow` is added by the server.
        public var errorResponse: @Sendable (_ path: String, _ status: Int, _ message: String) -> Response = {
            .text("\($2)\n", status: $1)
        }
        /// Called for each answer with the route's name, nil where no route matched; on the event thread, so be brief.
        public var onResponse: @Sendable (_ route: String?, _ status: Int) -> Void = { _, _ in }
        /// Called for each connection that opens, closes or is refused; on one of the server's threads, so be brief.
        public var onConnection: @Sendable (ConnectionEvent) -> Void = { _ in }
        /// Called for events that belong in a log; on one of the server's threads, so be brief.
        public var onEvent: @Sendable (Event) -> Void = { _ in }

        /// The defaults, and where to listen.
        public init(addresses: [ListenAddress]) { self.addresses = addresses }
    }

    /// What happens to connections, for metrics.
    public enum ConnectionEvent: Sendable, Hashable {
        case opened
        /// After `opened`.
        case closed
        /// Answered with 503 and closed, before its request is read; one that is evicted is also `opened` and `closed`,
        /// unless it had no place yet.
        case refused(Refusal)
    }

    /// Why a connection is refused: the limit that it exceeds, or its eviction.
    public enum Refusal: String, Sendable, CaseIterable {
        /// ``Configuration/connectionLimit``.
        case total
        /// ``Configuration/connectionsPerAddress``.
        case address
        /// The process's descriptors (RLIMIT_NOFILE), of which some are kept for what is not a connection.
        case descriptors
        /// Closed in favour of a newer one at a limit; it gets the 503 only in the middle of a request.
        case evicted
    }

    /// Something to log; each has a sentence as its description.
    public enum Event: Sendable, Hashable, CustomStringConvertible {
        /// No connection can be accepted at the moment; reported once until one is accepted again, at most once a
        /// minute.
        case acceptPaused(errorNumber: Int32)
        /// After `acceptPaused`.
        case acceptResumed
        /// A log message of libmicrohttpd, mostly about one client; for a debug log.
        case diagnostic(String)

        /// The log message.
        public var description: String {
            switch self {
            case .acceptPaused(let code):
                "cannot accept connections for now: \(SystemError.message(code)) (errno \(code))"
            case .acceptResumed: "connections are accepted again"
            case .diagnostic(let text): text
            }
        }
    }
}
