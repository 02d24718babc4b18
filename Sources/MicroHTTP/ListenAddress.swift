/// An address to listen on, as an operator writes it.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Empty for every address of the machine, IPv6 and IPv4; without brackets.
    public let host: String
    /// 0 lets the system choose.
    public let port: UInt16

    /// Takes both as they are.
    public init(host: String = "", port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `:PORT`, `127.0.0.1:PORT`, `[::1]:PORT` or `HOST:PORT`; throws `ListenError`.
    public init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":") else {
            throw ListenError("listen address \"\(text)\": expected HOST:PORT or :PORT")
        }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let port = UInt16(digits) else {
            throw ListenError("listen address \"\(text)\": expected a port from 0 to 65535 after the last colon")
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 {
            host = host.dropFirst().dropLast()
        } else if host.contains(where: { "[]:".contains($0) }) {
            throw ListenError("listen address \"\(text)\": an IPv6 address needs brackets, as in [::1]:80")
        }
        guard !host.utf8.contains(where: { $0 <= 0x20 }) else {
            throw ListenError("listen address \"\(text)\": the host has a space or a control character")
        }
        self.init(host: String(host), port: port)
    }

    /// The form that `init(_:)` reads.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
