import Glibc

/// getaddrinfo(3): the files and servers that nsswitch.conf(5) and resolv.conf(5) name.
package enum HostLookup {
    /// Looks a host up.
    ///
    /// Blocks, for tens of seconds where no server answers. Changes of resolv.conf need no `res_init`: since 2.26
    /// glibc reads it again by itself.
    ///
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - family: nil: both.
    ///   - port: of the results.
    /// - Returns: the addresses in the resolver's order, never none; a literal address is its own.
    /// - Throws: `noAddress`.
    package static func addresses(
        of host: String,
        family: AddressFamily? = nil,
        port: UInt16 = 0
    ) throws(LookupError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = family?.number ?? AF_UNSPEC
        // One entry an address, not one for each type of socket. AI_ADDRCONFIG is off: what to ask for is the
        // caller's business, and loopback alone would not count as a configured address.
        hints.ai_socktype = SocketType.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { throw .noAddress(code) }
        defer { freeaddrinfo(list) }
        let found = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            var address = SocketAddress(copying: entry?.pointee.ai_addr, length: Int(entry?.pointee.ai_addrlen ?? 0))
            address?.port = port
            return address
        }
        guard !found.isEmpty else { throw .noAddress(EAI_NONAME) }
        return found
    }
}

/// Why a host has no address.
package enum LookupError: Error, Equatable, CustomStringConvertible {
    /// The name is unknown, or no server answered; with the code of getaddrinfo(3).
    case noAddress(Int32)
    /// A link-local address names a device that does not exist.
    case noDevice
    /// A limit of this machine: no thread could start.
    case localLimit

    package var description: String {
        switch self {
        case .noAddress(let code): String(cString: gai_strerror(code))
        case .noDevice: "no such device"
        case .localLimit: "no thread for a lookup can be started (RLIMIT_NPROC, or the limit of the unit or container)"
        }
    }
}
