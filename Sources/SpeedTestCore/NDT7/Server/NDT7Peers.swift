import Glibc
import Posix

/// The two ends of a TCP connection, as `address:port`.
struct NDT7Peers {
    let client: String
    let server: String

    /// - Parameter socket: the server's; what is no IP socket has empty ends.
    init(of socket: Int32) {
        client = Self.text { getpeername(socket, $0, $1) }
        server = Self.text { getsockname(socket, $0, $1) }
    }

    private static func text(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> String {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        guard code == 0 else { return "" }
        return withUnsafeBytes(of: storage) { bytes in
            // struct sockaddr_in and sockaddr_in6: family, port in network order; then the address at 4 and at 8.
            let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
            switch Int32(storage.ss_family) {
            case AF_INET: return IPAddress(bytes: Array(bytes[4..<8])).map { "\($0):\(port)" } ?? ""
            case AF_INET6:
                let address = Array(bytes[8..<24])
                let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
                if address.starts(with: mapped) {
                    return IPAddress(bytes: Array(address.suffix(4))).map { "\($0):\(port)" } ?? ""
                }
                return IPAddress(bytes: address).map { "[\($0)]:\(port)" } ?? ""
            default: return ""
            }
        }
    }
}
