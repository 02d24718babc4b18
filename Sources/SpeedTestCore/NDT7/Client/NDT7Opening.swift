import HTTPTransfer
import Posix

/// How a client opens the WebSocket of one direction.
struct NDT7Opening: Sendable {
    var address: WebURL
    /// Taken instead of a lookup of the host.
    var pinned: IPAddress?
    var interface: String?
    var congestionControl: String?
    var tls = TransferTLS()
    var userAgent: String
    /// For all of it together.
    var timeout: Duration

    /// Bytes that the kernel takes beyond those on their way, so that an upload ends soon after it is ended.
    static let unsentLimit: Int32 = 131_072

    /// What libcurl is asked for.
    var request: ByteConnectionRequest {
        var request = ByteConnectionRequest(url: address.description)
        request.timeout = timeout
        request.address = pinned
        request.interface = interface
        request.sockets.congestionControl = congestionControl
        request.sockets.notSentLowWater = Self.unsentLimit
        request.tls = tls
        return request
    }
}
