import Glibc

/// A socket that only this process knows, in the abstract namespace (unix(7)): nothing that is fuzzed uses the network.
final class UnixListener: Sendable {
    /// For `connect`, and for the addresses of D-Bus.
    let name: String
    let descriptor: Int32

    init(_ purpose: String) throws {
        name = "nhe-fuzz-\(getpid())-\(purpose)"
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        let isBound = Self.withAddress(name) { bind(descriptor, $0, $1) == 0 }
        guard isBound, listen(descriptor, 64) == 0 else { throw FuzzReader.Finding("listen: errno \(errno)") }
    }

    /// A connection of a client.
    func connect() throws -> Int32 {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard Self.withAddress(name, { Glibc.connect(client, $0, $1) == 0 }) else {
            close(client)
            throw FuzzReader.Finding("connect: errno \(errno)")
        }
        return client
    }

    private static func withAddress<Result>(_ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
        -> Result
    {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // After a NUL, which makes it abstract.
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in name.utf8.enumerated() { path[index + 1] = byte }
        }
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + 1 + name.utf8.count } ?? 0
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
