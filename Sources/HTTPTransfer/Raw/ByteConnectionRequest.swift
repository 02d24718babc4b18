package import Posix

/// Where a connection of bytes goes and how it is made.
package struct ByteConnectionRequest: Sendable {
    /// An absolute http or https URL, of which scheme, host and port count: https makes TLS.
    package var url: String
    /// For the name, TCP and TLS together.
    package var timeout: Duration = .seconds(7)
    /// Taken instead of looking the host up; TLS still verifies the host of the URL.
    package var address: IPAddress?
    /// Bound to this device (SO_BINDTODEVICE); nil: the kernel chooses.
    package var interface: String?
    /// TCP_CONGESTION; nil: the system's.
    package var congestionControl: String?
    /// TCP_NOTSENT_LOWAT: bytes that the kernel takes beyond those on their way; nil: as many as its buffer holds.
    package var unsentLimit: Int32?
    package var tls = TransferTLS()

    package init(url: String) { self.url = url }
}
