import Foundation
import Lab
import Posix
import Statistics
import Testing

@testable import Probing

/// Loss on a link of the lab's relay, as `icmp` and `tcp` targets see it, beside what the relay dropped.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct PacketLossLabTests {
    /// As many as a window keeps.
    private static let probes = OutcomeWindow.defaultCapacity
    /// The kernel repeats a SYN after 1 s, and again 1 s later, which only a probe sees that ends late on a busy machine.
    private static let timeout = Duration.milliseconds(1500)

    private static let server = """
        import socket
        listener = socket.create_server(("198.18.2.2", 4000), backlog=1024)
        print("ready", flush=True)
        while True:
            listener.accept()[0].close()
        """

    /// Probes at a pace at which the server keeps up, and counts in the order of the starts, as at the usual intervals.
    private func outcomes(_ probe: @escaping @Sendable () async -> ProbeResult) async -> TargetStatistics {
        await withTaskGroup(of: (Int, ProbeResult).self) { group in
            for number in 0..<Self.probes {
                group.addTask { (number, await probe()) }
                // The pace of the probes.
                try? await Task.sleep(for: .milliseconds(4))
            }
            var statistics = TargetStatistics(measuresRoundTrip: true)
            // As after an earlier answer, which the window drops: the first ones would have nothing to be compared with.
            var earlier = ProbeResult()
            earlier.rtt = .milliseconds(4)
            statistics.count(earlier, at: .now)
            let results = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            for number in 0..<Self.probes {
                if let result = results[number] { statistics.count(result, at: .now) }
            }
            return statistics
        }
    }

    @Test(arguments: [0.01, 0.05, 0.2])
    func `packets lost each way are lost for both kinds of targets`(loss: Double) async throws {
        let (host, peer) = (try Namespace(), try Namespace())
        let link = try LossyLink(host, peer, loss: loss)
        let server = try Script(in: peer, Self.server)
        let readiness = try Readiness(name: "loss-lab")
        let pinger = Pinger(readiness: readiness, openSocket: host.openSocket) { _ in }
        let handshakes = HandshakeTimer(readiness: readiness, openSocket: host.openSocket)
        let place = SocketAddress(try #require(IPAddress("198.18.2.2")), port: 4000)

        async let pinged = outcomes {
            await pinger.ping(SocketAddress(place.ip), name: "t", device: nil, until: .now + Self.timeout)
        }
        async let connected = outcomes {
            await handshakes.connect(to: place, interface: nil, timeout: Self.timeout)
        }
        let (icmp, tcp) = await (pinged, connected)
        let log = try link.end()
        withExtendedLifetime(server) {}

        let counted = [icmp, tcp].map { $0.window.newest().list.count { $0 == nil } }
        print("loss \(loss): \(log), icmp \(counted[0]), tcp \(counted[1]) of \(Self.probes)")
        #expect(icmp.probes == Self.probes + 1 && tcp.probes == Self.probes + 1)
        // Each dropped packet of ICMP is one lost probe, and each connection whose SYN was repeated too.
        #expect(abs(counted[0] - log.droppedICMP) <= 1)
        #expect(log.connections.count == Self.probes)
        #expect(abs(counted[1] - log.repeatedConnections) <= 1)
        // Of a request and its answer, by all packets of the link.
        let truth = 1 - (1 - log.ratio[0]) * (1 - log.ratio[1])
        let expected = truth * Double(Self.probes)
        // Four standard deviations of the binomial distribution.
        let interval = 4 * (expected * (1 - truth)).squareRoot()
        for count in counted { #expect(abs(Double(count) - expected) <= interval, "\(counted) \(expected)") }
    }
}

/// Two namespaces with the lab's relay between them, which drops packets each way.
private final class LossyLink {
    /// What the relay did.
    struct Log: CustomStringConvertible {
        /// How often each connection sent its SYN, by its port and sequence number.
        var connections: [Substring: Int] = [:]
        var droppedICMP = 0
        /// Of all packets, the share that was dropped, there and back.
        var ratio = [0.0, 0.0]

        var repeatedConnections: Int { connections.values.count { $0 > 1 } }

        var description: String {
            let most = connections.values.max() ?? 0
            return "\(connections.count) connections, \(repeatedConnections) repeated (up to \(most) SYN), "
                + "\(droppedICMP) ICMP dropped, \(ratio) of all"
        }
    }

    private let relay: Program
    private let folder: TemporaryFolder

    init(_ host: Namespace, _ peer: Namespace, loss: Double) throws {
        for (namespace, own, other) in [(host, "198.18.2.1", "198.18.2.2"), (peer, "198.18.2.2", "198.18.2.1")] {
            try namespace.ip(
                """
                tuntap add mode tun name lab0
                link set lab0 addrgenmode none
                address add \(own) peer \(other) dev lab0
                link set lab0 up
                """
            )
            try namespace.write("0 2147483647", to: "/proc/sys/net/ipv4/ping_group_range")
        }
        folder = try TemporaryFolder()
        let program = ProcessInfo.processInfo.environment["NHE_LAB_RELAY"] ?? ".build/debug/lab-relay"
        relay = try Program([
            program, "/run/netns/\(host.name)", "lab0", "/run/netns/\(peer.name)", "lab0", "delay=2000",
            "loss=\(loss)", "seed=7", "log=\(folder.file("log"))",
        ])
        guard relay.readLine() == "ready" else { throw Failure(description: "the relay ended early") }
    }

    /// Ends the link and reads the relay's log: `TIME_NS DIRECTION LENGTH PROTOCOL HOLD_NS`, and for TCP
    /// `PORT SEQUENCE PAYLOAD FLAGS`.
    func end() throws -> Log {
        relay.signal(SIGTERM)
        guard relay.wait() == 0 else { throw Failure(description: "the relay failed") }
        var log = Log()
        var (all, dropped) = ([0, 0], [0, 0])
        for line in try String(contentsOfFile: folder.file("log"), encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 5 else { continue }
            let (way, isDropped) = (fields[1] == "a" ? 0 : 1, fields[4] == "drop")
            all[way] += 1
            if isDropped { dropped[way] += 1 }
            if fields[3] == "1", isDropped { log.droppedICMP += 1 }
            // SYN is the second flag (RFC 9293).
            guard way == 0, fields.count >= 9, let flags = UInt8(fields[8]), flags & 2 != 0 else { continue }
            log.connections[fields[5] + " " + fields[6], default: 0] += 1
        }
        log.ratio = zip(dropped, all).map { Double($0) / Double(max($1, 1)) }
        return log
    }
}
