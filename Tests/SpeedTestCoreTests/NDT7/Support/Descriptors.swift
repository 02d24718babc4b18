import Glibc

/// The descriptors of this process.
enum Descriptors {
    /// How many of them are connected to the port of a URL of 127.0.0.1, which no other test has.
    static func connections(to url: String) -> Int {
        let digits = url.drop { $0 != "1" }.split(separator: ":")[1].prefix { $0.isNumber }
        guard let port = UInt16(digits) else { return -1 }
        return (0..<4096).count { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &length) }
            }
            return code == 0 && Int32(address.sin_family) == AF_INET && UInt16(bigEndian: address.sin_port) == port
        }
    }
}
