import Coordination
import Glibc
import Netlink
import Posix

/// What the devices of a test's connections have carried since the test began, other programs' traffic included.
///
/// The device is the one to which the kernel routes a server's address. Its counters are those of /proc/net/dev, which are
/// read without a lock of the kernel.
final class DeviceMeter: Sendable {
    private struct Device {
        /// What the counters have of each packet below IP.
        var linkHeader: UInt64
        /// What is sent is received, too.
        var isLoopback: Bool
        var start: DeviceCount
    }

    private struct State: ~Copyable {
        /// /proc/net/dev of the connections' network namespace.
        var file: Descriptor?
        var devices: [Substring: Device] = [:]
        /// Whose device is known.
        var addresses: Set<IPAddress> = []
        /// A device is not known, or was made anew.
        var isLost = false
        var refresh = DeviceRefresh()
    }

    /// ARPHRD_ETHER of linux/if_arp.h, Wi-Fi too, and its header; the counters of loopback and of tunnels have none.
    private static let ethernet = (type: UInt16(1), header: UInt64(14))
    /// ARPHRD_LOOPBACK.
    private static let loopback: UInt16 = 772

    private let state = Locked(State())

    /// Called before each connection, on its thread, whose network namespace counts.
    ///
    /// Asks the kernel and blocks meanwhile.
    ///
    /// - Parameters:
    ///   - address: the other side of the connection.
    ///   - interface: the device to which the connection is bound; nil: to none.
    func willConnect(to address: SocketAddress, through interface: String?) {
        guard !state.withLock({ $0.isLost || $0.addresses.contains(address.ip) }) else { return }
        let link: Link
        do throws(NetlinkError) {
            // Without a route nothing is sent.
            guard let found = try Self.link(to: address, through: interface) else { return }
            link = found
        } catch {
            return state.withLock { $0.isLost = true }
        }
        state.withLock { state in
            state.addresses.insert(address.ip)
            if state.file == nil {
                state.file = try? Descriptor(
                    owning: open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC),
                    from: "open"
                )
            }
            let name = Substring(link.name)
            guard state.devices[name] == nil else { return }
            guard let start = Self.counts(&state)[name] else {
                state.isLost = true
                return
            }
            let linkHeader = link.hardwareType == Self.ethernet.type ? Self.ethernet.header : 0
            let isLoopback = link.hardwareType == Self.loopback
            state.devices[name] = Device(linkHeader: linkHeader, isLoopback: isLoopback, start: start)
        }
    }

    /// Packets of IP since the first connection.
    ///
    /// - Parameter own: what the test itself has moved so far.
    /// - Returns: nil before it, and where a device is not known.
    func count(own: UInt64) -> DeviceCount? {
        state.withLock { state in
            guard !state.isLost, !state.devices.isEmpty else { return nil }
            let counts = Self.counts(&state)
            var sum = DeviceCount()
            for (name, device) in state.devices {
                guard let growth = counts[name]?.since(device.start, linkHeader: device.linkHeader) else {
                    state.isLost = true
                    return nil
                }
                sum.received.add(growth.received)
                sum.sent.add(growth.sent)
            }
            state.refresh.note(sum, own: own, at: .now)
            return sum
        }
    }

    /// Whether both counters have the packets of both directions: the server is on this host.
    var countsBothWays: Bool {
        state.withLock { state in !state.devices.isEmpty && state.devices.values.allSatisfy(\.isLoopback) }
    }

    /// How old the counters may be.
    var refresh: Duration { state.withLock { $0.refresh.longest } }

    private static func link(
        to address: SocketAddress,
        through interface: String?
    ) throws(NetlinkError) -> Link? {
        var socket = try RequestSocket()
        let scope = interface.map { if_nametoindex($0) } ?? address.scope
        let bound = scope > 0 ? Int32(clamping: scope) : nil
        guard case .route(let route) = try socket.lookup(address.ip, interfaceIndex: bound),
            let index = bound ?? route.hops.first?.interfaceIndex
        else { return nil }
        return try socket.linkStatistics(index: index)
    }

    private static func counts(_ state: inout State) -> [Substring: DeviceCount] {
        guard let number = state.file?.number else { return [:] }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while text.count < 1 << 20 {
            let count = pread(number, &chunk, chunk.count, off_t(text.count))
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        return DeviceCount.parse(String(decoding: text, as: UTF8.self))
    }
}

/// What one device has carried.
struct DeviceCount: Sendable, Equatable {
    /// In one direction.
    struct Way: Sendable, Equatable {
        var bytes: UInt64 = 0
        var packets: UInt64 = 0

        mutating func add(_ other: Way) {
            bytes &+= other.bytes
            packets &+= other.packets
        }

        /// Without the header of each packet below IP; nil where the counters have begun anew.
        fileprivate func since(_ earlier: Way, linkHeader: UInt64) -> Way? {
            guard bytes >= earlier.bytes, packets >= earlier.packets else { return nil }
            let (bytes, packets) = (bytes - earlier.bytes, packets - earlier.packets)
            return Way(bytes: bytes - min(bytes, packets &* linkHeader), packets: packets)
        }
    }

    var received = Way()
    var sent = Way()

    /// That of the load.
    subscript(direction: Direction) -> Way { direction == .download ? received : sent }

    /// By the names of the devices; see proc_pid_net(5), `/proc/net/dev`.
    static func parse(_ text: String) -> [Substring: DeviceCount] {
        var counts: [Substring: DeviceCount] = [:]
        for line in text.split(separator: "\n") {
            // An alias has a colon in its name.
            guard let colon = line.lastIndex(of: ":") else { continue }
            let numbers = line[line.index(after: colon)...].split(separator: " ").map { UInt64($0) }
            guard numbers.count == 16, let receivedBytes = numbers[0], let receivedPackets = numbers[1],
                let sentBytes = numbers[8], let sentPackets = numbers[9]
            else { continue }
            counts[line[..<colon].drop { $0 == " " }] = DeviceCount(
                received: Way(bytes: receivedBytes, packets: receivedPackets),
                sent: Way(bytes: sentBytes, packets: sentPackets)
            )
        }
        return counts
    }

    func since(_ earlier: DeviceCount, linkHeader: UInt64) -> DeviceCount? {
        guard let received = received.since(earlier.received, linkHeader: linkHeader),
            let sent = sent.since(earlier.sent, linkHeader: linkHeader)
        else { return nil }
        return DeviceCount(received: received, sent: sent)
    }
}

/// How long a device's counters stay the same while bytes move: some devices bring them up to date once a second.
struct DeviceRefresh: Sendable, Equatable {
    /// Fewer bytes of our own may still be on their way to the device.
    private static let noticeable: UInt64 = 65_536

    private(set) var longest = Duration.zero
    private var count = DeviceCount()
    /// Our own bytes when the counters last changed.
    private var own: UInt64 = 0
    /// When they were first found to be old.
    private var staleSince: ContinuousClock.Instant?

    mutating func note(_ count: DeviceCount, own: UInt64, at time: ContinuousClock.Instant) {
        if count != self.count {
            if let staleSince { longest = max(longest, staleSince.duration(to: time)) }
            (self.count, self.own, staleSince) = (count, own, nil)
        } else if own > self.own &+ Self.noticeable, staleSince == nil {
            staleSince = time
        }
    }
}
