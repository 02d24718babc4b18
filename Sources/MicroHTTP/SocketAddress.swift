// libmicrohttpd's header brings the socket types too, and an optimized build takes them from there.
import CMicroHTTPD
import Glibc
import Posix

/// A `sockaddr` of any family as a value.
struct SocketAddress: Sendable {
    private var storage: sockaddr_storage
    private var length: socklen_t

    /// `[::]` with a port.
    init(anyIPv6 port: UInt16) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        self.init(copying: &address, MemoryLayout<sockaddr_in6>.size)
    }

    /// `0.0.0.0` with a port.
    init(anyIPv4 port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        self.init(copying: &address, MemoryLayout<sockaddr_in>.size)
    }

    /// What a socket is bound to.
    init(boundTo descriptor: Int32) throws(SystemError) {
        storage = sockaddr_storage()
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard isKnown else { throw SystemError(call: "getsockname", code: errno) }
    }

    /// Copies what a library points to; the family tells how long it is.
    init(copying address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self.init(copying: address, MemoryLayout<sockaddr_in>.size)
        case AF_INET6: self.init(copying: address, MemoryLayout<sockaddr_in6>.size)
        default: self.init(copying: address, MemoryLayout<sa_family_t>.size)
        }
    }

    private init(copying bytes: UnsafeRawPointer, _ count: Int) {
        storage = sockaddr_storage()
        length = socklen_t(count)
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count)) }
    }

    /// Every stream address of a host: numeric, or a name that the resolver knows, such as `localhost`.
    static func resolve(_ address: ListenAddress) throws(ListenError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = SocketType.stream
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard code == 0 else {
            throw ListenError("cannot listen on \(address): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let pointer = entry.pointee.ai_addr {
                found.append(SocketAddress(copying: pointer, Int(entry.pointee.ai_addrlen)))
            }
            next = entry.pointee.ai_next
        }
        return found
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// `[::]` or `0.0.0.0`.
    var isAny: Bool { host == "::" || host == "0.0.0.0" }

    var listenAddress: ListenAddress {
        let number = UInt16(numeric(NI_NUMERICSERV, isService: true)) ?? 0
        return ListenAddress(host: host, port: number)
    }

    /// The numeric address, an IPv4 one without the IPv6 prefix of a dual socket; empty for other families.
    var host: String {
        let text = numeric(NI_NUMERICHOST, isService: false)
        let mapped = "::ffff:"
        return text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private func numeric(_ flag: Int32, isService: Bool) -> String {
        guard family == AF_INET || family == AF_INET6 else { return "" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            let isKnown = withPointer { address, length in
                isService
                    ? getnameinfo(address, length, nil, 0, text.baseAddress, socklen_t(text.count), flag) == 0
                    : getnameinfo(address, length, text.baseAddress, socklen_t(text.count), nil, 0, flag) == 0
            }
            guard isKnown, let base = text.baseAddress else { return "" }
            return String(cString: base)
        }
    }
}
