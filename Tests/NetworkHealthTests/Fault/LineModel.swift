import Glibc
import Lab
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Statistics

/// A line with routers, servers and at most one fault, which answers probes as such lines do: a simulation, without a clock.
struct LineModel {
    /// A router or the servers: what a probe crosses to it, and how it answers.
    struct Node {
        var address: String
        /// The place of the stretch before it.
        var stretch: FaultLocation
        var answers = 1.0
        var slowness = 0.0
    }

    let breakage: Breakage?
    let confounder: Confounder
    var random: SplitMix64
    var nodes: [Node] = []
    let queue: Double
    let isForward: Bool
    var report = HopReport(family: .ipv4)
    var evidence = FaultEvidence()
    var pending: [(due: Double, push: Int)] = []
    let epoch: ContinuousClock.Instant
    var brokenAt: Double?
    /// The pauses after the rounds of the start, in seconds.
    let search: [Double]
    /// As `HopSchedule` has them.
    static let search = [1.05, 2.1, 4.2, 8.4, 1.05]

    init(seed: UInt64, epoch: ContinuousClock.Instant, search: [Double] = Self.search) {
        self.search = search
        var random = SplitMix64(state: seed)
        let places: [FaultLocation] = [.link, .router, .access, .provider, .internet, .destination]
        let isPlain = Bool.random(using: &random)
        let drawn = Confounder.allCases[Int.random(in: 0..<Confounder.allCases.count, using: &random)]
        confounder = isPlain ? .none : drawn
        let place = places[Int.random(in: 0..<places.count, using: &random)]
        let kind = Breakage.Kind.allCases[Int.random(in: 0..<4, using: &random)]
        // One in sixteen is healthy. What a router does to the packets that it forwards is the access.
        let isHealthy = Int.random(in: 0..<16, using: &random) == 0
        // One server is asked too seldom for a small loss.
        let fault = Breakage(
            place: place == .router && kind != .dead ? .access : place,
            kind: place == .destination && kind == .smallLoss ? .largeLoss : kind
        )
        breakage = isHealthy || confounder == .ownTraffic ? nil : fault
        queue = Double.random(in: 0.03...0.3, using: &random)
        isForward = Bool.random(using: &random)
        self.random = random
        self.epoch = epoch
        makeNodes()
        makeFacts()
    }

    /// The place that a right verdict names; nil: none.
    var truth: FaultLocation? { confounder == .ownTraffic ? .host : breakage?.place }

    /// The places that are true.
    var truths: Set<FaultLocation> {
        var truths = Set([truth].compactMap(\.self))
        if confounder == .busyHost { truths.insert(.host) }
        if confounder == .deadNameServer { truths.insert(.dns) }
        return truths
    }

    mutating func makeNodes() {
        nodes = [Node(address: "192.168.1.1", stretch: .link)]
        if confounder == .secondRouter { nodes.append(Node(address: "192.168.2.1", stretch: .access)) }
        if confounder == .privateSecondRouter { nodes.append(Node(address: "10.0.0.1", stretch: .access)) }
        let first =
            confounder == .sharedAddresses
            ? "100.64.0.1" : confounder == .privateProvider ? "10.20.0.1" : "198.51.100.1"
        nodes.append(Node(address: first, stretch: .access))
        nodes.append(Node(address: "198.51.100.9", stretch: .provider))
        if nodes.count < 4 { nodes.append(Node(address: "203.0.113.5", stretch: .provider)) }
        let chosen = Int.random(in: 0..<nodes.count, using: &random)
        switch confounder {
        case .hiddenHop: nodes[chosen].answers = 0
        case .limitingHop: nodes[chosen].answers = Double.random(in: 0.2...0.9, using: &random)
        case .slowHop: nodes[chosen].slowness = Double.random(in: 0.005...0.04, using: &random)
        default: break
        }
        report.hops = (1...4).map { HopReport.Hop(distance: $0) }
    }

    mutating func makeFacts() {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "eth0", index: 2, type: .wiredEthernet, isTunnel: confounder == .tunnel)
        path.gateways = ["192.168.1.1"]
        evidence.path = path
        evidence.isOnline = true
        if confounder != .tunnel, confounder != .pinglessRouter, let address = IPAddress("192.168.1.1") {
            evidence.gateway = FaultEvidence.Gateway(address)
            evidence.gateway?.isNeighbour = true
        }
        evidence.servers = ["one", "two", "three"].map { FaultEvidence.Server($0, .ipv4) }
        evidence.nameServers = [FaultEvidence.NameServer("192.168.1.1"), FaultEvidence.NameServer("198.51.100.53")]
        evidence.host.processorPressure = confounder == .busyHost ? 0.8 : 0.05
        (evidence.host.measuredDownload, evidence.host.measuredUpload) = (50e6, 10e6)
        let share = confounder == .ownTraffic ? 0.9 : confounder == .someTraffic ? 0.5 : 0.05
        (evidence.host.received, evidence.host.sent) = (50e6 * share, 1e5)
    }
}

extension LineModel {
    func instant(_ time: Double) -> ContinuousClock.Instant { epoch + .microseconds(Int64(time * 1e6)) }

    /// Whether a stretch is the broken one now.
    func isBroken(_ index: Int, at time: Double) -> Bool {
        guard let breakage, let brokenAt, time >= brokenAt else { return false }
        // The first stretch of the place, or one of its later ones: the last.
        let stretches = nodes.indices.filter { nodes[$0].stretch == breakage.place }
        return index == (isForward ? stretches.first : stretches.last)
    }

    /// A round trip to a node, behind all of them to a server; 0: to the first one itself, as for a question; nil: no answer.
    mutating func probe(_ distance: Int, server: Int? = nil, at time: Double) -> Double? {
        let isServer = distance > nodes.count
        var seconds = 0.0005 + Double.random(in: 0..<0.0005, using: &random)
        let isTunnel = confounder == .tunnel
        var crossed = (0..<min(max(distance, 1), nodes.count)).map { isBroken($0, at: time) }
        // All of the line is below the tunnel's first hop.
        if isTunnel { crossed = nodes.indices.map { isBroken($0, at: time) } }
        let hasBegun = brokenAt.map { time >= $0 } ?? false
        if isServer {
            crossed.append(hasBegun && (breakage?.place == .internet || breakage?.place == .destination && server == 0))
        }
        if breakage?.place == .router, breakage?.kind == .dead, hasBegun { return nil }
        for (index, isBroken) in crossed.enumerated() {
            seconds += index == 0 ? 0.0005 : 0.004 + Double.random(in: 0..<0.001, using: &random)
            guard isBroken, let breakage else { continue }
            switch breakage.kind {
            case .dead: return nil
            case .smallLoss: if Double.random(in: 0..<1, using: &random) < 0.05 { return nil }
            case .largeLoss: if Double.random(in: 0..<1, using: &random) < 0.2 { return nil }
            case .queue:
                // The senders fill it and back off (CUBIC: between 70 and 100 %).
                seconds += queue * (0.85 + 0.15 * sin(1.7 * time))
                if Double.random(in: 0..<1, using: &random) < 0.005 { return nil }
            }
        }
        if confounder == .ownTraffic, hasBegun, distance > 1 {
            seconds += 0.08 * Double.random(in: 0.7...1, using: &random)
        }
        if confounder == .busyHost { seconds += exponential(0.01) }
        if confounder == .slowRouter, hasBegun, distance == 1 {
            seconds += 0.05 * Double.random(in: 0.7...1, using: &random)
        }
        guard !isServer, distance > 0 else { return seconds }
        let node = nodes[distance - 1]
        guard Double.random(in: 0..<1, using: &random) < node.answers else { return nil }
        return seconds + (node.slowness > 0 ? exponential(node.slowness) : 0)
    }

    mutating func exponential(_ mean: Double) -> Double {
        -mean * log(Double.random(in: 1e-9..<1, using: &random))
    }

    /// One probe to each hop; one without an answer is known to be after 4 s.
    mutating func probeHops(at time: Double) {
        flush(at: time)
        for distance in 1...4 {
            let outcome = distance <= nodes.count ? probe(distance, at: time) : nil
            guard let outcome else {
                pending.append((time + 4, distance))
                continue
            }
            report.hops[distance - 1].window.push(.microseconds(Int64(outcome * 1e6)), at: instant(time + outcome))
            if let address = IPAddress(nodes[distance - 1].address) { report.hops[distance - 1].addresses = [address] }
            let least = report.hops[distance - 1].minimum ?? .seconds(9)
            report.hops[distance - 1].minimum = min(least, .microseconds(Int64(outcome * 1e6)))
        }
    }

    mutating func flush(at time: Double) {
        for (due, distance) in pending where due <= time {
            report.hops[distance - 1].window.push(nil, at: instant(due))
        }
        pending.removeAll { $0.due <= time }
    }

    /// A ping to the router, one to each server, a question to each name server.
    mutating func probeServers(at time: Double) {
        let now = instant(time)
        for index in evidence.servers.indices {
            let outcome = probe(nodes.count + 1, server: index, at: time).map { Duration.microseconds(Int64($0 * 1e6)) }
            evidence.servers[index].window.push(outcome, at: now)
        }
        let ping = probe(1, at: time).map { Duration.microseconds(Int64($0 * 1e6)) }
        if evidence.gateway != nil {
            evidence.gateway?.window.push(ping, at: now)
        }
        for index in evidence.nameServers.indices {
            let isDead = confounder == .deadNameServer && index == 0
            let answer = isDead ? nil : probe(index == 0 ? 0 : nodes.count + 1, server: 1, at: time)
            evidence.nameServers[index].window.push(answer.map { _ in .milliseconds(20) }, at: now)
        }
    }

    /// What routers say of a packet that cannot go on.
    mutating func refuse(at time: Double) {
        func refusal(_ sender: String, _ code: UInt8, _ distance: Int?) {
            guard let sender = IPAddress(sender), let destination = IPAddress("192.0.2.1") else { return }
            let new = Refusal(
                sender: sender,
                destination: destination,
                type: 3,
                code: code,
                distance: distance,
                at: instant(time)
            )
            report.refusals = (report.refusals + [new]).suffix(16)
        }
        if confounder == .rejectingFirewall, breakage?.place != .router { refusal("192.168.1.1", 13, 1) }
        guard let breakage, breakage.kind == .dead, let brokenAt, time > brokenAt + 1, confounder != .tunnel else {
            return
        }
        let says = queue < 0.15
        switch breakage.place {
        case .access where says && isForward: refusal("100.127.0.2", 1, 1)
        case .provider where says && nodes[nodes.count - 2].answers > 0:
            if let first = nodes.firstIndex(where: {
                $0.stretch == .access && $0.address != "192.168.2.1" && $0.address != "10.0.0.1"
            }) {
                refusal(nodes[first].address, 0, first + 1)
            }
        default: break
        }
    }
}
