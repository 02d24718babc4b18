import CCurl
import Glibc
import Posix

/// Where libcurl is about to connect to.
struct SocketAddress: Equatable {
    let ip: IPAddress
    let port: UInt16

    /// - Returns: nil for a family other than the two, and for an address cut short.
    init?(_ address: UnsafePointer<curl_sockaddr>) {
        // struct sockaddr_in and sockaddr_in6: family, port in network order; then the address at 4 and at 8.
        let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let length = Int(address.pointee.addrlen)
        let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + start, count: length)
        let range: Range<Int>
        switch address.pointee.family {
        case AF_INET: range = 4..<8
        case AF_INET6: range = 8..<24
        default: return nil
        }
        guard length >= range.upperBound, let ip = IPAddress(bytes: Array(bytes[range])) else { return nil }
        self.ip = ip
        port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
}
