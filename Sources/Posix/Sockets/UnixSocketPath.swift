import Glibc

/// Where a Unix socket is (unix(7)).
package enum UnixSocketPath {
    /// The path that a socket is bound to, or `@` and its name in the abstract namespace; empty: it has none.
    ///
    /// - Returns: nil for a socket of another family.
    package static func bound(to socket: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) == 0 }
        }
        guard isKnown, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: address.sun_path) { path in
            let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 0
            let name = path.prefix(max(0, Int(length) - start))
            guard name.first == 0 else { return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) }
            return "@" + String(decoding: name.dropFirst(), as: UTF8.self)
        }
    }
}
