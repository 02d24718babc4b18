package import Posix

/// Decides which addresses a request may be sent to.
///
/// ```swift
/// let sender = HTTPRequestSender(rule: ConnectionRule { _, address, port in address == "192.0.2.1" && port == 443 })
/// ```
///
/// Asked where the socket is opened, with the address that it is about to connect to: no second lookup can differ.
public struct ConnectionRule: Sendable {
    package let allows: @Sendable (RetryableRequest, SocketAddress) -> Bool

    /// A rule of your own, which must not wait: it is called on the thread that sends.
    ///
    /// - Parameter allows: Gets an address without brackets, such as `192.0.2.1` or `2001:db8::1`, and a port.
    public init(_ allows: @escaping @Sendable (_ request: RetryableRequest, _ address: String, _ port: Int) -> Bool) {
        self.init(addresses: { allows($0, $1.ip.description, Int($1.port)) })
    }

    /// A rule on the addresses themselves.
    package init(addresses allows: @escaping @Sendable (RetryableRequest, SocketAddress) -> Bool) {
        self.allows = allows
    }

    /// Every address.
    public static let any = ConnectionRule(addresses: { _, _ in true })

    /// Public addresses: none of this host, its link, a private network, a provider's NAT or a multicast group.
    public static let global = ConnectionRule(addresses: { GlobalAddresses.standard.containsElsewhere($1.ip) })
}
