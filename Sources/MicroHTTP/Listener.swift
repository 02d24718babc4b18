// libmicrohttpd's header brings the socket types too, and an optimized build takes them from there.
import CMicroHTTPD
import Glibc
import Posix

/// A listening socket.
final class Listener: Sendable {
    let descriptor: Descriptor
    /// What it is bound to, with the port that the system chose.
    let address: ListenAddress

    /// Connections that the kernel keeps until they are accepted; it takes less where net.core.somaxconn is less.
    private static let backlog: Int32 = 1024

    private init(descriptor: consuming Descriptor, address: ListenAddress) {
        self.descriptor = descriptor
        self.address = address
    }

    /// Listens on every address that the text means: one, or both families of a name such as `localhost`.
    ///
    /// `makeSocket` is socket(2), given the family; a test passes one of a machine without IPv6.
    static func open(
        _ address: ListenAddress,
        makeSocket: (Int32) -> Int32 = streamSocket
    ) throws(ListenError) -> [Listener] {
        if address.host.isEmpty {
            do throws(SystemError) {
                return [try open(SocketAddress(.unspecified(.ipv6), port: address.port), isDual: true, makeSocket)]
            } catch  where error.isWithoutFamily {
                return [
                    try named(address) { () throws(SystemError) in
                        try open(SocketAddress(.unspecified(.ipv4), port: address.port), isDual: false, makeSocket)
                    }
                ]
            } catch {
                throw ListenError(address.description, error.code)
            }
        }
        var listeners: [Listener] = []
        var missing: SystemError?
        for socketAddress in try addresses(of: address) {
            do throws(SystemError) {
                listeners.append(try open(socketAddress, isDual: false, makeSocket))
            } catch  where error.isWithoutFamily {
                missing = error
            } catch {
                throw ListenError(address.description, error.code)
            }
        }
        if listeners.isEmpty { throw ListenError(address.description, missing?.code ?? EADDRNOTAVAIL) }
        return listeners
    }

    /// Takes over a socket that already listens.
    static func adopt(_ number: Int32) throws(ListenError) -> Listener {
        var isListening: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0 else {
            throw ListenError("descriptor \(number)", errno)
        }
        guard isListening != 0 else { throw ListenError("descriptor \(number) is not a listening socket") }
        do throws(SystemError) {
            let descriptor = try Descriptor(owning: number, from: "adopt")
            guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0,
                fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0
            else { throw SystemError(call: "fcntl", code: errno) }
            let address = try boundAddress(of: number)
            watchClients(number)
            return Listener(descriptor: descriptor, address: address)
        } catch {
            throw ListenError("descriptor \(number)", error.code)
        }
    }

    /// Every address of a host: numeric, or a name that the resolver knows, such as `localhost`.
    private static func addresses(of address: ListenAddress) throws(ListenError) -> [SocketAddress] {
        do throws(LookupError) {
            return try HostLookup.addresses(of: address.host, port: address.port)
        } catch {
            throw ListenError("cannot listen on \(address): \(error)")
        }
    }

    /// What a socket is bound to; for one of a family other than IP and Unix an empty host.
    private static func boundAddress(of descriptor: Int32) throws(SystemError) -> ListenAddress {
        if let path = UnixSocketPath.bound(to: descriptor) { return ListenAddress(path: path) }
        let bound = try SocketAddress.bound(to: descriptor)
        return ListenAddress(host: bound?.host ?? "", port: bound?.port ?? 0)
    }

    static let streamSocket: @Sendable (Int32) -> Int32 = { family in
        socket(family, SocketType.stream | SocketType.flags, 0)
    }

    private static func open(
        _ address: SocketAddress,
        isDual: Bool,
        _ makeSocket: (Int32) -> Int32
    ) throws(SystemError) -> Listener {
        let descriptor = try Descriptor(owning: makeSocket(address.ip.family.number), from: "socket")
        try set(descriptor.number, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.ip.family == .ipv6 { try set(descriptor.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, isDual ? 0 : 1) }
        let isBound = address.withPointer { bind(descriptor.number, $0, $1) == 0 }
        guard isBound, listen(descriptor.number, backlog) == 0 else { throw SystemError(call: "bind", code: errno) }
        watchClients(descriptor.number)
        var bound = try boundAddress(of: descriptor.number)
        if address.ip.isUnspecified { bound = ListenAddress(port: bound.port) }
        return Listener(descriptor: descriptor, address: bound)
    }

    /// Makes the kernel end connections whose client has vanished, or takes nothing of an answer.
    ///
    /// Accepted sockets inherit these options (tcp(7)). Without TCP_USER_TIMEOUT a client with a closed window keeps its
    /// connection forever, as it acknowledges each probe. Without TCP_LINGER2 a client that still sends into a full window
    /// when its connection is closed waits for about two minutes: as long as the kernel remembers the connection, it
    /// answers no probe. A socket of another kind, such as one that systemd passes, has none of these options.
    private static func watchClients(_ number: Int32) {
        let silence = Int32(clientTimeout.components.seconds)
        try? set(number, SOL_SOCKET, SO_KEEPALIVE, 1)
        try? set(number, Int32(IPPROTO_TCP), TCP_KEEPIDLE, silence / 2)
        try? set(number, Int32(IPPROTO_TCP), TCP_KEEPINTVL, silence / 6)
        try? set(number, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        try? set(number, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, silence * 1000)
        try? set(number, Int32(IPPROTO_TCP), TCP_LINGER2, 1)
    }

    /// How long a client may neither acknowledge data nor open its window.
    private static let clientTimeout: Duration = .seconds(30)

    private static func set(_ number: Int32, _ level: Int32, _ option: Int32, _ value: Int32) throws(SystemError) {
        var value = value
        guard setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw SystemError(call: "setsockopt", code: errno)
        }
    }

    private static func named(
        _ address: ListenAddress,
        _ open: () throws(SystemError) -> Listener
    ) throws(ListenError) -> Listener {
        do throws(SystemError) {
            return try open()
        } catch {
            throw ListenError(address.description, error.code)
        }
    }
}

extension SystemError {
    /// Whether the machine lacks the address family, or the family its addresses.
    fileprivate var isWithoutFamily: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }
}

/// Why the server cannot listen or start: `cannot listen on 127.0.0.1:80: Permission denied (errno 13)`.
public struct ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What could not be done, to what, and why.
    public let description: String
    /// The errno; nil where no system call failed.
    public let errorNumber: Int32?

    init(_ description: String, errorNumber: Int32? = nil) {
        self.description = description
        self.errorNumber = errorNumber
    }

    /// For an address and the call that failed.
    init(_ address: String, _ code: Int32) {
        self.init("cannot listen on \(address): \(SystemError.message(code)) (errno \(code))", errorNumber: code)
    }
}
