import Netlink
import Posix

/// Draws conclusions from successive dumps of TCP connections.
///
/// Received segments prove the internet; the stall rule is that of Android's TcpSocketTracker.
struct PassiveEvidence: Sendable {
    /// Fewer segments than this prove neither a stall nor a loss.
    private static let minSegments: UInt64 = 10
    /// The share of retransmitted segments.
    private static let stalledShare = 0.8
    /// One timeout in a row may be that of a lost packet.
    private static let failingTimeouts: UInt8 = 2

    private let interval: Duration
    private let global: GlobalAddresses
    /// Those that packets of the path leave through, by index; nil: not known.
    ///
    /// A connection from an address of another device is one over another uplink: it says nothing about the path.
    var devices: Set<Int>?
    private var known: [UInt64: FlowCounters] = [:]
    private var lastDump: SuspendingClock.Instant?
    /// Segments sent since the last one was received.
    private var unanswered: [AddressFamily: UInt64] = [:]
    /// What was sent since the last share of retransmissions: a dump soon after another has too few segments for one.
    private var sent = FlowTally()
    private var shareSince: SuspendingClock.Instant?
    private var share: Double?

    /// - Parameters:
    ///   - interval: an answer at most this long before the first dump counts.
    ///   - global: which peers count.
    init(interval: Duration, global: GlobalAddresses) {
        self.interval = interval
        self.global = global
    }

    /// Takes a dump and reports the changes since the last one.
    ///
    /// - Parameters:
    ///   - flows: of both families.
    ///   - own: the inodes of this process's sockets, which do not count.
    ///   - neighbours: the ranges whose addresses are reached without the internet.
    ///   - addresses: the devices of each address of this host.
    ///   - now: when the dump was made.
    /// - Returns: the report, and the round trips of the flows that had an answer, ascending.
    mutating func take(
        _ flows: [TCPFlow],
        own: Set<UInt32>,
        neighbours: [AddressRange] = [],
        addresses: [IPAddress: Set<Int>] = [:],
        at now: SuspendingClock.Instant
    ) -> (report: PassiveReport, roundTrips: [Duration]) {
        let window = lastDump?.duration(to: now) ?? interval
        var current = [UInt64: FlowCounters](minimumCapacity: flows.count)
        var tallies: [AddressFamily: FlowTally] = [:]
        var roundTrips: [Duration] = []
        var report = PassiveReport(at: now)
        var unansweredFor: [AddressFamily: Duration] = [:]
        var heardFor: [AddressFamily: Duration] = [:]
        // Most of them are private, and global peers are compared with the others only.
        let near = neighbours.filter { global.contains($0.address) }
        for flow in flows where !own.contains(flow.inode) && global.contains(flow.remote) {
            guard !near.contains(where: { $0.contains(flow.remote) }) else { continue }
            let leaves = addresses[flow.local.mappedIPv4 ?? flow.local]
            if let devices, let leaves, devices.isDisjoint(with: leaves) { continue }
            if let last = flow.lastReceive { heardFor[flow.family] = min(last, heardFor[flow.family] ?? last) }
            if flow.timeouts >= Self.failingTimeouts, let age = flow.unansweredFor {
                unansweredFor[flow.family] = max(age, unansweredFor[flow.family] ?? age)
            }
            let counters = FlowCounters(flow)
            // An interrupted dump may contain a flow twice.
            guard current.updateValue(counters, forKey: flow.cookie) == nil else { continue }
            let increase = known[flow.cookie].map(counters.increase)
            // Of a new flow only the time of the last segment is known, in jiffies: a short window is missed.
            let isHeard = increase.map { $0.received > 0 } ?? false || flow.lastReceive.map { $0 < window } ?? false
            if isHeard {
                report.receivedFamilies.insert(flow.family)
                if let rtt = flow.rtt { roundTrips.append(rtt) }
            }
            if let increase { tallies[flow.family, default: FlowTally()] += increase }
        }
        known = current
        lastDump = now
        roundTrips.sort()

        for family in AddressFamily.allCases { judge(family, tallies[family] ?? FlowTally(), in: &report) }
        // Of two connections the one that waits longest, unless another has received since.
        for (family, age) in unansweredFor where heardFor[family].map({ $0 > age }) ?? true {
            report.failingSince[family] = now.advanced(by: .zero - age)
        }
        report.retransmittedShare = share(with: tallies.values, at: now)
        report.medianRTT = roundTrips.isEmpty ? nil : roundTrips[roundTrips.count / 2]
        return (report, roundTrips)
    }

    private mutating func judge(_ family: AddressFamily, _ tally: FlowTally, in report: inout PassiveReport) {
        if tally.received > 0 { report.receivedFamilies.insert(family) }
        guard !report.receivedFamilies.contains(family) else {
            unanswered[family] = 0
            return
        }
        let sent = unanswered[family, default: 0] + tally.sent
        unanswered[family] = sent
        // The share is that of the newest segments: those in flight when the answers stopped were sent once at first.
        guard sent >= Self.minSegments, tally.sent > 0 else { return }
        if Double(tally.retransmitted) >= Self.stalledShare * Double(tally.sent) {
            report.stalledFamilies.insert(family)
        }
    }

    /// The share of retransmissions; of a whole interval at least, unless there are enough segments before.
    private mutating func share(
        with tallies: some Sequence<FlowTally>,
        at now: SuspendingClock.Instant
    ) -> Double? {
        for tally in tallies { sent += tally }
        let isOver = (shareSince ?? now.advanced(by: .zero - interval)).duration(to: now) >= interval
        guard sent.sent >= Self.minSegments || isOver else { return share }
        share = sent.sent >= Self.minSegments ? min(1, Double(sent.retransmitted) / Double(sent.sent)) : nil
        (sent, shareSince) = (FlowTally(), now)
        return share
    }
}

/// The counters of one flow in one dump.
struct FlowCounters: Sendable, Equatable {
    private let segmentsIn: UInt32?
    private let segmentsOut: UInt32?
    private let retransmitted: UInt32?

    init(_ flow: TCPFlow) {
        segmentsIn = flow.segmentsIn
        segmentsOut = flow.segmentsOut
        retransmitted = flow.retransmitted
    }

    /// The increase since `earlier`.
    func increase(since earlier: Self) -> FlowTally {
        FlowTally(
            received: Self.increase(from: earlier.segmentsIn, to: segmentsIn),
            sent: Self.increase(from: earlier.segmentsOut, to: segmentsOut),
            retransmitted: Self.increase(from: earlier.retransmitted, to: retransmitted)
        )
    }

    /// Handles a wrap at 2³²; 0 if the counter went back, as when a socket is used for another connection.
    private static func increase(from old: UInt32?, to new: UInt32?) -> UInt64 {
        guard let old, let new else { return 0 }
        let difference = new &- old
        return difference <= UInt32(Int32.max) ? UInt64(difference) : 0
    }
}

/// Segments that flows received and sent between two dumps.
struct FlowTally: Sendable, Equatable {
    var received: UInt64 = 0
    /// Retransmissions included.
    var sent: UInt64 = 0
    var retransmitted: UInt64 = 0

    static func += (total: inout Self, other: Self) {
        total.received += other.received
        total.sent += other.sent
        total.retransmitted += other.retransmitted
    }
}
