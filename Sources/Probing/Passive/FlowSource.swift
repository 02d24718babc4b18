import Glibc
import Netlink
import Posix

/// Reads the established TCP connections of this network namespace, and the sockets of this process.
///
/// Every call blocks for milliseconds: never call it on the cooperative pool.
struct FlowSource: ~Copyable {
    /// nil after a failure: the next call opens another.
    private var socket: RequestSocket?
    private var routing: RequestSocket?

    /// The result of one read.
    struct Dump: Sendable {
        var flows: [TCPFlow]
        /// The inodes of this process's sockets.
        var own: Set<UInt32>
        /// The prefixes of this host's links, including its own addresses: these are reached without the internet.
        var neighbours: [AddressRange]
        /// The devices of each address of this host, by index, but the loopback: a service may have its address there.
        var devices: [IPAddress: Set<Int>]

        /// LOOPBACK_IFINDEX of the kernel's include/net/flow.h.
        private static let loopback: Int32 = 1

        init(_ flows: [TCPFlow], own: Set<UInt32>, _ addresses: [Address]) {
            (self.flows, self.own) = (flows, own)
            neighbours = addresses.map { AddressRange(around: $0.address, prefixLength: $0.prefixLength) }
            devices = [:]
            for address in addresses where address.interfaceIndex != Self.loopback {
                devices[address.address, default: []].insert(Int(address.interfaceIndex))
            }
        }
    }

    /// The flows of both families, and what identifies those that do not count.
    mutating func read() throws(NetlinkError) -> Dump {
        var socket: RequestSocket
        if let open = self.socket.take() { socket = open } else { socket = try .diagnostics() }
        // Before and after: a socket of this process that opens or closes meanwhile is in one of them.
        let before = try Self.own()
        var flows = try socket.tcpFlows(sockets: .ipv4).elements
        flows += try socket.tcpFlows(sockets: .ipv6).elements
        let after = try Self.own()
        self.socket = consume socket
        return Dump(flows, own: before.union(after), try addresses())
    }

    private mutating func addresses() throws(NetlinkError) -> [Address] {
        var routing: RequestSocket
        if let open = self.routing.take() { routing = open } else { routing = try RequestSocket() }
        let addresses = try routing.addresses().elements
        self.routing = consume routing
        return addresses
    }

    private static func own() throws(NetlinkError) -> Set<UInt32> {
        do { return try OwnSockets.inodes() } catch { throw .system(error) }
    }
}

/// The sockets of this process.
enum OwnSockets {
    /// The inodes of all open sockets.
    static func inodes(procfs: String = "/proc") throws(SystemError) -> Set<UInt32> {
        let path = "\(procfs)/self/fd"
        guard let directory = opendir(path) else { throw SystemError(call: "opendir \(path)", code: errno) }
        defer { closedir(directory) }
        var inodes: Set<UInt32> = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard let number = Int32(name), fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
                continue
            }
            inodes.insert(UInt32(truncatingIfNeeded: status.st_ino))
        }
        return inodes
    }
}
