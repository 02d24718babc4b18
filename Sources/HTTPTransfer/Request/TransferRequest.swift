package import Posix

/// One HTTP request and how it is to be made; a redirect is an answer like any other.
package struct TransferRequest: Sendable {
    package enum Method: String, Sendable, Hashable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// What is sent.
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Asked for the next bytes whenever the connection takes more; nil ends it. `length` nil: chunked.
        case stream(length: Int64?, next: @Sendable (_ limit: Int) async throws -> [UInt8]?)
        /// The same bytes over and over, up to a length, which includes what comes before and after them; empty: no body
        /// at all.
        case repeating([UInt8], length: Int64, after: [UInt8] = [], before: [UInt8] = [])
    }

    /// What is done with the answer's body.
    package enum Sink: Sendable {
        case discard
        /// Thrown away, but for that of an answer without success: it is kept up to `limit` bytes.
        case discardUnlessRefused(limit: Int)
        /// Kept up to `limit` bytes; the transfer ends there, with `isTruncated` set.
        case collect(limit: Int)
        /// Handed over as it arrives; the next piece is read when `receive` has returned. A throw ends the transfer.
        case stream(receive: @Sendable ([UInt8]) async throws -> Void)
    }

    /// An absolute http or https URL.
    package var url: String
    package var method: Method = .get
    /// `Content-Length` and `Transfer-Encoding` follow from the body and are refused here.
    package var headers: [(name: String, value: String)] = []
    package var body: Body = .none
    package var sink: Sink = .discard
    /// From the start to the last byte, name resolution included.
    package var timeout: Duration = .seconds(30)
    /// For name resolution, connecting and the TLS handshake; nil: only `timeout` holds.
    package var connectTimeout: Duration?
    /// Bound to this device (SO_BINDTODEVICE), such as `eth0`; nil: the kernel chooses.
    package var interface: String?
    /// Only this family; nil: both, raced (RFC 8305).
    package var family: AddressFamily?
    /// Asked about each address before it is connected to, the proxy's included; false refuses it.
    ///
    /// Called on the loop's thread: it must not wait.
    package var mayConnect: (@Sendable (SocketAddress) -> Bool)?
    package var tls = TransferTLS()
    /// Such as `http://proxy:3128`; nil: no proxy, whatever the environment has.
    package var proxy: String?
    /// Succeeds as soon as the connection is established, TLS included: no request is sent, and the answer's status is 0.
    package var onlyConnects = false
    /// Neither taken from the pool of open connections nor returned to it.
    package var usesFreshConnection = false
    /// The largest payload of a segment, in both directions, of a connection that is opened for this; nil: the path's.
    package var maximumSegment: Int32?
    /// Counts the bytes of both bodies, readable by others while the transfer runs.
    ///
    /// Such a transfer is taken for a large one, and gets libcurl's largest buffers.
    package var meter: TransferMeter?

    package init(url: String, method: Method = .get) {
        self.url = url
        self.method = method
    }
}

/// How the server is verified, and our own certificate: Prometheus' `tls_config`.
package struct TransferTLS: Sendable, Hashable {
    /// PEM bundle to verify with; nil: the system's.
    package var caFile: String?
    /// PEM certificate of ours.
    package var certificateFile: String?
    package var keyFile: String?
    /// Sent as SNI and verified instead of the URL's host.
    package var serverName: String?
    package var skipsVerification = false

    package init() {}
}
