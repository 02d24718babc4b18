import Foundation
import Glibc
import Statistics

/// A link between two namespaces through the lab's relay, which delays, drops, and notes what it did.
final class RelayedLink {
    /// How the link behaves, in each direction.
    struct Behaviour {
        var delay = Duration.zero
        /// The delay after `RelayedLink.step`; nil: there is no step.
        var then: Duration?
        var jitter = Duration.zero
        var loss = 0.0
        var seed = 1
        /// Bits of IP packets a second, from the host and to it; nil: as fast as the relay can.
        var rate: (up: Int, down: Int)?
        /// How much waits before a rate, in the time that it takes to send; what comes on top is dropped.
        var buffer = Duration.milliseconds(200)

        /// What TCP carries at most at a rate, in bytes a second: of 1500 bytes of a packet on a tun device, IPv4 takes
        /// 20 and TCP 32 with its timestamps.
        static func goodput(at rate: Int) -> Double { Double(rate) / 8 * 1448 / 1500 }

        /// The relay's arguments.
        fileprivate var arguments: [String] {
            var arguments = [
                "delay=\(delay.microseconds)", "jitter=\(jitter.microseconds)", "loss=\(loss)", "seed=\(seed)",
            ]
            if let then { arguments.append("then=\(then.microseconds)") }
            if let rate {
                let bytes = [rate.up, rate.down].map { Int(Double($0) / 8 * (buffer / .seconds(1))) }
                arguments += ["rate=\(rate.up),\(rate.down)", "buffer=\(bytes[0]),\(bytes[1])"]
            }
            return arguments
        }
    }

    /// What became of the ICMP packets, each direction in its order; nil: dropped.
    struct Log {
        var there: [Duration?] = []
        var back: [Duration?] = []
        /// The small TCP packets with something in them that came before the first full one: requests, and their answers.
        var requests: [Duration] = []
        var answers: [Duration] = []

        /// The first packets of TCP connections and their answers.
        var opened: [Duration] = []
        var accepted: [Duration] = []

        /// How long the link held the first two packets of each TCP connection, where nothing was dropped.
        var handshakes: [Duration] { zip(opened, accepted).map { $0 + $1 } }

        var dropped: Int { (there + back).count { $0 == nil } }

        /// The round trips that came through whole, where nothing was dropped.
        var roundTrips: [Duration] {
            zip(there, back).compactMap { there, back in
                guard let there, let back else { return nil }
                return there + back
            }
        }

        /// How long the link held a request and its answer; nil where there were none.
        var idleRoundTrip: Duration? {
            let middles = [requests, answers].compactMap(\.median)
            return middles.count == 2 ? middles[0] + middles[1] : nil
        }

        /// Takes a line of the relay's log, in their order.
        fileprivate mutating func add(_ line: Substring, isLoaded: inout Bool) {
            let fields = line.split(separator: " ")
            guard fields.count >= 5, let length = Int(fields[2]) else { return }
            let (isThere, hold) = (fields[1] == "a", Int64(fields[4]).map(Duration.nanoseconds))
            switch fields[3] {
            case "1" where isThere: there.append(hold)
            case "1": back.append(hold)
            // 40 bytes and the options that only the first packet has.
            case "6" where length == 60:
                guard let hold else { return }
                if isThere { opened.append(hold) } else { accepted.append(hold) }
            case "6":
                isLoaded = isLoaded || length >= 1400
                guard !isLoaded, let hold, length > 100 else { return }
                if isThere { requests.append(hold) } else { answers.append(hold) }
            default: return
            }
        }
    }

    static let near = near(0)
    static let far = far(0)
    /// The addresses of the ends of `lab0`, `lab1` and so on.
    static func near(_ number: Int) -> String { "198.18.\(2 + number).1" }
    static func far(_ number: Int) -> String { "198.18.\(2 + number).2" }

    let host: Namespace
    let peer: Namespace
    private let relay: Program
    private let folder: TemporaryFolder

    /// Connects the two with devices named `lab0`, or after another number; the host's default route leads over `lab0`.
    init(_ host: Namespace, _ peer: Namespace, _ behaviour: Behaviour, number: Int = 0) async throws {
        (self.host, self.peer) = (host, peer)
        folder = try TemporaryFolder()
        let (near, far, device) = (Self.near(number), Self.far(number), "lab\(number)")
        for (namespace, own, other) in [(host, near, far), (peer, far, near)] {
            try await namespace.ip("tuntap add mode tun name \(device)")
            try await namespace.ip("address add \(own) peer \(other) dev \(device)")
            try await namespace.ip("link set \(device) up")
            try await namespace.set("net.ipv4.ping_group_range", to: "0 2147483647")
        }
        if number == 0 { try await host.ip("route add default via \(far)") }
        let ends = ["/run/netns/\(host.name)", device, "/run/netns/\(peer.name)", device]
        relay = try Program([Repository.relay] + ends + behaviour.arguments + ["log=\(folder.path)/log"])
        let relay = relay
        try await poll("the relay") {
            guard relay.isRunning else { throw Failure(description: "the relay has ended: \(relay.errors)") }
            return relay.output.contains("ready") ? true : nil
        }
    }

    /// Changes the delay to `Behaviour.then`.
    func step() { relay.signal(SIGUSR1) }

    /// Ends the link and tells what it did.
    func end() async throws -> Log {
        relay.signal(SIGTERM)
        guard try await relay.status() == 0 else { throw Failure(description: "the relay: \(relay.errors)") }
        var log = Log()
        var isLoaded = false
        for line in try String(contentsOfFile: "\(folder.path)/log", encoding: .utf8).split(separator: "\n") {
            log.add(line, isLoaded: &isLoaded)
        }
        return log
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

/// Gives `body` a link that behaves as told; what it did is told by its end.
func withRelayedLink<Result>(
    _ behaviour: RelayedLink.Behaviour,
    _ body: (RelayedLink) async throws -> Result
) async throws -> Result {
    try await withNamespace { peer in
        try await withNamespace { host in try await body(RelayedLink(host, peer, behaviour)) }
    }
}
