import Glibc
import Posix

/// The answer of a handler.
///
/// The server adds `Date` and either `Content-Length` or chunks; it leaves out those that `headers` has of the latter.
/// `Connection: close` ends the connection. `HEAD` gets the same headers without the body; a stream is not even begun.
public struct Response: Sendable {
    /// The body.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes one after the other; a part that is in many bodies is compressed once.
        case parts([BodyPart])
        /// Written by a task of its own, chunk by chunk; ends when the closure returns.
        case stream(@Sendable (StreamWriter) async throws -> Void)
        /// Any number of bytes, without memory for them.
        case repeating(RepeatedBytes)
        /// The end of HTTP on this connection; see ``Response/upgrade(headers:serve:)``.
        case upgrade(@Sendable (_ socket: UpgradedSocket, _ received: [UInt8]) -> Void)
    }

    /// 200 … 599.
    public var status: Int
    /// Sent in this order; a field that HTTP does not allow, such as one with a line break, is left out.
    public var headers: Headers
    /// The body.
    public var body: Body
    /// Whether the bytes may be sent with gzip to a client that accepts it; streams never are.
    public var isCompressible: Bool
    /// The connection's congestion control from here on (TCP_CONGESTION), such as `cubic`; nil, or a name that the kernel
    /// does not have, leaves it as it is.
    public var congestionControl: String?
    /// The name of a header field for the connection's congestion control, as the kernel reports it.
    public var congestionControlField: String?

    /// Any response; see the shorter forms below.
    public init(status: Int = 200, headers: Headers = [:], body: Body, isCompressible: Bool = false) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isCompressible = isCompressible
    }

    /// Bytes of a content type.
    public static func bytes(
        _ bytes: [UInt8],
        contentType: String,
        status: Int = 200,
        isCompressible: Bool = false
    ) -> Response {
        Response(
            status: status,
            headers: ["Content-Type": contentType],
            body: .bytes(bytes),
            isCompressible: isCompressible
        )
    }

    /// `text/plain; charset=utf-8`.
    public static func text(_ text: String, status: Int = 200) -> Response {
        bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status, isCompressible: true)
    }

    /// `text/html; charset=utf-8`.
    public static func html(_ text: String, status: Int = 200) -> Response {
        bytes(Array(text.utf8), contentType: "text/html; charset=utf-8", status: status, isCompressible: true)
    }

    /// `application/json` from bytes that are already encoded.
    public static func json(_ json: [UInt8], status: Int = 200) -> Response {
        bytes(json, contentType: "application/json", status: status, isCompressible: true)
    }

    /// A status without a body, such as 204.
    public static func empty(status: Int) -> Response { Response(status: status, body: .bytes([])) }

    /// 101 with these headers, and then `serve`, which gets the socket: a thread of its own reads and writes it, blocking,
    /// for as long as it likes.
    ///
    /// `received` is what the client has sent behind its request; with TLS that is lost, so that a client must wait for the
    /// 101, as RFC 6455 requires. `Connection` is added; the socket is closed when `serve`
    /// returns, and shut down, so that reads and writes fail, when the server stops. Past
    /// ``Server/Configuration/upgradeLimit`` the answer is 503 instead.
    public static func upgrade(
        headers: Headers,
        serve: @escaping @Sendable (_ socket: UpgradedSocket, _ received: [UInt8]) -> Void
    ) -> Response {
        Response(status: 101, headers: headers, body: .upgrade(serve))
    }

    /// Sends the chunks of a sequence as they come; the sequence is left when the client goes away.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        contentType: String,
        status: Int = 200
    ) -> Response where Chunks.Element == [UInt8] {
        let body = Body.stream { writer in
            for try await chunk in chunks { try await writer.write(chunk) }
        }
        return Response(status: status, headers: ["Content-Type": contentType], body: body)
    }
}

/// The socket of an upgraded connection.
public struct UpgradedSocket: Sendable {
    /// What is read and written; with TLS it leads to a thread that encrypts.
    public let descriptor: Int32
    /// The TCP connection, for its options and statistics (TCP_INFO); not to be read or written.
    public let connection: Int32

    /// Makes reads and writes block, and has the kernel send each write at once.
    ///
    /// libmicrohttpd leaves Nagle's algorithm on after its answer: a small write would wait for the acknowledgement of the one before it,
    /// which under load is as late as the queue is long.
    func prepare() {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
        SocketOptions.sendAtOnce(connection)
    }
}
