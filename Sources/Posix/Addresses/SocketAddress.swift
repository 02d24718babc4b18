package import Glibc

/// An address of IPv4 or IPv6 with a port: `struct sockaddr` as a value.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    package var ip: IPAddress
    /// 0: none, or one that the system chooses.
    package var port: UInt16
    /// The index of the device of a link-local IPv6 address; 0: none is needed.
    package var scope: UInt32

    package init(_ ip: IPAddress, port: UInt16 = 0, scope: UInt32 = 0) {
        self.ip = ip
        self.port = port
        self.scope = scope
    }

    /// Copies a `struct sockaddr` of `length` bytes.
    ///
    /// - Returns: nil for a family other than the two, and for an address that is cut short.
    package init?(copying address: UnsafeRawPointer?, length: Int = MemoryLayout<sockaddr_in6>.size) {
        guard let address, length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let address = address.loadUnaligned(as: sockaddr_in.self)
            guard let ip = IPAddress(bytes: withUnsafeBytes(of: address.sin_addr) { Array($0) }) else { return nil }
            self.init(ip, port: UInt16(bigEndian: address.sin_port))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let address = address.loadUnaligned(as: sockaddr_in6.self)
            guard let ip = IPAddress(bytes: withUnsafeBytes(of: address.sin6_addr) { Array($0) }) else { return nil }
            self.init(ip, port: UInt16(bigEndian: address.sin6_port), scope: address.sin6_scope_id)
        default: return nil
        }
    }

    /// Whether the kernel has an address of its own to send from; false where IPv6 is switched off (`disable_ipv6`).
    ///
    /// connect(2) fails with EADDRNOTAVAIL in this case, and for TCP also where no port is free. A datagram socket tells them
    /// apart: connecting it sends nothing, and fails with EAGAIN without a free port. True where no socket can be opened.
    package var hasSource: Bool {
        withConnectedDatagramSocket { $1 != EADDRNOTAVAIL } ?? true
    }

    /// The address from which the kernel would send to this one; nil without a route.
    ///
    /// Nothing is sent.
    package var source: IPAddress? {
        let found = withConnectedDatagramSocket { socket, code in
            code == 0 ? (try? SocketAddress.bound(to: socket))?.ip : nil
        }
        return found ?? nil
    }

    /// Calls `body` with a datagram socket and the error of connecting it here, which sends nothing; 0: none.
    ///
    /// - Returns: nil where no socket can be opened.
    private func withConnectedDatagramSocket<Result>(_ body: (_ socket: Int32, _ code: Int32) -> Result) -> Result? {
        let socket = Glibc.socket(ip.family.number, SocketType.datagram | SocketType.flags, 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        return body(socket, withPointer { connect(socket, $0, $1) == 0 ? 0 : errno })
    }

    /// Reads an address with a port, as in `192.0.2.1:443` and `[2001:db8::1]:443`.
    ///
    /// - Returns: nil for a name, for an address with a device, and without a port from 1 on.
    package init?(_ text: String) {
        guard let place = HostPort(text), place.zone == nil, let ip = place.address, let port = place.port else {
            return nil
        }
        self.init(ip, port: port)
    }

    /// Reads a literal address, one of IPv6 also with its device or the index of that: `192.0.2.1`, `fe80::1%eth0`.
    ///
    /// - Returns: nil for a name.
    /// - Throws: `noDevice` where there is no such device.
    package init?(literal text: String, port: UInt16 = 0) throws(LookupError) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let ip = IPAddress(String(first)) else { return nil }
        guard parts.count == 2 else {
            self.init(ip, port: port)
            return
        }
        guard ip.family == .ipv6 else { return nil }
        let device = String(parts[1])
        guard let scope = UInt32(device) ?? NetworkDevice.index(of: device), scope > 0 else { throw .noDevice }
        self.init(ip, port: port, scope: scope)
    }

    /// What a socket is bound to; nil for a family other than the two.
    package static func bound(to socket: Int32) throws(SystemError) -> SocketAddress? {
        try read("getsockname") { getsockname(socket, $0, $1) }
    }

    /// What a socket is connected to; nil for a family other than the two.
    package static func peer(of socket: Int32) throws(SystemError) -> SocketAddress? {
        try read("getpeername") { getpeername(socket, $0, $1) }
    }

    private static func read(
        _ name: String,
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SystemError) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        guard code == 0 else { throw SystemError(call: name, code: errno) }
        return withUnsafePointer(to: storage) { SocketAddress(copying: $0, length: Int(length)) }
    }

    /// The address alone: an IPv4 one without the IPv6 prefix of a dual socket, a link-local one with its device.
    package var host: String {
        let text = "\(ip.mappedIPv4 ?? ip)"
        return scope == 0 ? text : "\(text)%\(NetworkDevice.name(of: scope) ?? "\(scope)")"
    }

    /// `192.0.2.1:443`, `[fe80::1%eth0]:443`.
    package var description: String { HostPort(host: host, port: port).description }

    /// For connect(2), bind(2) and sendto(2).
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch ip.family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: ip.bytes) }
            return Self.withPointer(to: address, body)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: ip.bytes) }
            return Self.withPointer(to: address, body)
        }
    }

    private static func withPointer<Address, Result>(
        to address: Address,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

/// Devices by name and index, in the network namespace of the calling thread.
package enum NetworkDevice {
    /// Bytes of a name, its end included (IFNAMSIZ).
    static let nameSize = Int(IFNAMSIZ)

    /// if_nametoindex(3); nil where there is no such device.
    package static func index(of name: String) -> UInt32? {
        let index = if_nametoindex(name)
        return index == 0 ? nil : index
    }

    /// if_indextoname(3); nil where there is no such device.
    package static func name(of index: UInt32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: NetworkDevice.nameSize) { name in
            name.baseAddress.flatMap { if_indextoname(index, $0) }.map { String(cString: $0) }
        }
    }
}
