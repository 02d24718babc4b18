import CMicroHTTPD
import Glibc
import Posix

/// A response with the headers and the encoding that the server adds.
struct OutgoingResponse {
    let status: Int
    var headers: Headers
    let body: Response.Body

    /// Adds the common headers and compresses where client and response allow it.
    init(_ response: Response, to request: Request, _ core: ServerCore) {
        var headers = response.headers
        var body = response.body
        // libmicrohttpd sets these.
        for name in ["Content-Length", "Transfer-Encoding"] where headers[name] != nil { headers[name] = nil }
        for field in core.configuration.commonHeaders.fields where headers[field.name] == nil {
            headers.add(field.name, field.value)
        }
        if Self.isEligible(response, core) {
            headers["Vary"] = headers["Vary"].map { "\($0), Accept-Encoding" } ?? "Accept-Encoding"
            if AcceptEncoding.allowsGzip(request.headers.values("Accept-Encoding")),
                let compressed = core.compress(body)
            {
                body = .bytes(compressed)
                headers["Content-Encoding"] = "gzip"
            }
        }
        if case .upgrade = body {
            // libmicrohttpd adds `Connection: Upgrade` itself.
            headers["Connection"] = nil
            status = 101
        } else {
            status = (200...599).contains(response.status) ? response.status : 500
        }
        self.headers = headers
        self.body = body
    }

    /// Sets the connection's congestion control, and the header that reports it.
    mutating func applyCongestionControl(of response: Response, to connection: Connection) {
        guard response.congestionControl != nil || response.congestionControlField != nil,
            let socket = connection.openDescriptor
        else { return }
        if let name = response.congestionControl { _ = SocketOptions.setCongestionControl(socket, name) }
        if let field = response.congestionControlField { headers[field] = SocketOptions.congestionControl(of: socket) }
    }

    private static func isEligible(_ response: Response, _ core: ServerCore) -> Bool {
        guard response.isCompressible, let size = response.body.size, response.headers["Content-Encoding"] == nil
        else { return false }
        return size >= core.configuration.compressionMinimum && size <= core.configuration.compressionMaximum
    }

    /// libmicrohttpd's response for bytes, which it copies.
    static func create(_ bytes: [UInt8]) -> OpaquePointer? {
        bytes.withUnsafeBytes { bytes in
            // It takes a mutable pointer but, with this mode, only copies from it.
            MHD_create_response_from_buffer(
                bytes.count,
                UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
    }

    /// libmicrohttpd's response for parts, which it gets joined.
    static func create(_ parts: [BodyPart]) -> OpaquePointer? {
        let size = parts.reduce(0) { $0 + $1.bytes.count }
        guard let memory = malloc(max(size, 1)) else { return nil }
        var rest = UnsafeMutableRawBufferPointer(start: memory, count: size)
        for part in parts {
            rest.copyBytes(from: part.bytes)
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[part.bytes.count...])
        }
        let response = MHD_create_response_from_buffer(size, memory, .RESPMEM_MUST_FREE)
        if response == nil { free(memory) }
        return response
    }

    /// libmicrohttpd's response for a body that it reads piece by piece.
    static func create(_ body: any PulledBody) -> OpaquePointer? {
        let context = Unmanaged.passRetained(BodyReference(body))
        let response = MHD_create_response_from_callback(
            body.length ?? unknownLength,
            body.blockSize,
            readBody,
            context.toOpaque(),
            freeBody
        )
        if response == nil { context.takeRetainedValue().body.close() }
        return response
    }

    /// libmicrohttpd's response that upgrades the connection.
    static func createUpgrade() -> OpaquePointer? { MHD_create_response_for_upgrade(takeOver, nil) }

    /// The headers of a stream for `HEAD`; it is never read.
    ///
    /// Not chunked and the last on its connection: libmicrohttpd 0.9.75 would send the last chunk after such headers.
    static func createHeadOfStream() -> OpaquePointer? {
        let response = MHD_create_response_from_callback(unknownLength, ResponseStream.bytesPerRead, readBody, nil, nil)
        if let response { nhe_mhd_make_plain(response) }
        return response
    }

    /// MHD_SIZE_UNKNOWN, a macro with a cast.
    private static let unknownLength = UInt64.max
}

/// A body that libmicrohttpd reads piece by piece, on the event thread.
protocol PulledBody: AnyObject, Sendable {
    /// nil: unknown.
    var length: UInt64? { get }
    /// Bytes that libmicrohttpd reads, and keeps, at once.
    var blockSize: Int { get }
    /// Returns the number of bytes, 0 if the connection is suspended now, or one of the two ends.
    func read(at position: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int
    /// No more bytes are read.
    func close()
}

/// A pointer for C to a body of either kind.
final class BodyReference: Sendable {
    let body: any PulledBody

    init(_ body: any PulledBody) { self.body = body }
}
