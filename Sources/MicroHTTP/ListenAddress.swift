import Posix

/// An address to listen on, as an operator writes it.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Empty for every address of the machine, IPv6 and IPv4; without brackets.
    public let host: String
    /// 0 lets the system choose.
    public let port: UInt16
    /// Of a Unix socket, which has no host and no port; nil: it is one of TCP.
    public let path: String?

    /// Takes both as they are.
    public init(host: String = "", port: UInt16) { self.init(host: host, port: port, path: nil) }

    /// A Unix socket that was taken over.
    init(path: String) { self.init(host: "", port: 0, path: path) }

    private init(host: String, port: UInt16, path: String?) {
        (self.host, self.port, self.path) = (host, port, path)
    }

    /// Reads `:PORT`, `127.0.0.1:PORT`, `[::1]:PORT` or `HOST:PORT`; throws `ListenError`.
    public init(_ text: String) throws {
        let ports = UInt16.min...UInt16.max
        if let port = text.hasPrefix(":") ? HostPort.port(text.dropFirst(), in: ports) : nil {
            self.init(port: port)
        } else if let place = HostPort(text, ports: ports), let port = place.port {
            self.init(host: place.host, port: port)
        } else {
            throw ListenError(
                "listen address \"\(text)\": expected HOST:PORT, [IPv6]:PORT or :PORT with a port from 0 to 65535"
            )
        }
    }

    /// The form that `init(_:)` reads; of a Unix socket `unix:` and its path.
    public var description: String { path.map { "unix:\($0)" } ?? HostPort(host: host, port: port).description }
}
