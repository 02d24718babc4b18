import Glibc

/// getaddrinfo(3): the files and servers that nsswitch.conf(5) and resolv.conf(5) name.
package enum HostLookup {
    /// An address of a host.
    package struct Entry: Sendable {
        /// Four or sixteen, in network order.
        package var bytes: [UInt8]
        /// The index of the device of a link-local address; 0: none.
        package var scope: UInt32
    }

    /// Looks a name up, for `AF_INET`, `AF_INET6` or both (`AF_UNSPEC`); empty where nothing is found.
    ///
    /// Blocks, for tens of seconds where no server answers. Changes of resolv.conf need no `res_init`: since 2.26
    /// glibc reads it again by itself.
    package static func entries(of host: String, family: Int32) -> [Entry] {
        var hints = addrinfo()
        hints.ai_family = family
        // One entry an address, not one for each type of socket. AI_ADDRCONFIG is off: what to ask for is the
        // target's business, and loopback alone would not count as a configured address.
        hints.ai_socktype = SocketType.stream
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
            .compactMap { $0.flatMap { Entry($0.pointee.ai_addr) } }
    }
}

extension HostLookup.Entry {
    /// Copies a `sockaddr_in` or `sockaddr_in6`.
    fileprivate init?(_ pointer: UnsafePointer<sockaddr>?) {
        guard let pointer else { return nil }
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            let address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in.self)
            self.init(bytes: withUnsafeBytes(of: address.sin_addr) { Array($0) }, scope: 0)
        case AF_INET6:
            let address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in6.self)
            self.init(bytes: withUnsafeBytes(of: address.sin6_addr) { Array($0) }, scope: address.sin6_scope_id)
        default: return nil
        }
    }
}
