package import Glibc

/// A `sockaddr` of IPv4 or IPv6 as a value.
package struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private let length: socklen_t

    /// - Parameters:
    ///   - bytes: four of the address, in network order.
    ///   - port: in host order.
    package init(ipv4 bytes: [UInt8], port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
        length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
        }
    }

    /// - Parameters:
    ///   - bytes: sixteen of the address, in network order.
    ///   - port: in host order.
    ///   - scope: the index of the device of a link-local address; 0: none.
    package init(ipv6 bytes: [UInt8], port: UInt16, scope: UInt32) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_scope_id = scope
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
        length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
        }
    }

    /// For connect(2) and sendto(2).
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
