import Posix
import Statistics

/// The counters of this host at one end of the window: what else limits the rate.
struct HostCounters: Sendable, Equatable {
    var time: Duration
    /// Of the thread that moves the load: it ran, or waited for a processor.
    var busy: Duration?
    /// All bytes of the device in the load's direction.
    var device: UInt64?
    /// The test's own payload in the load's direction, repetitions and probes included; nil where the kernel does not count it.
    var own: UInt64?
    var contention = ProcessorContention()

    /// A thread that never sleeps for long limits the rate: it waited for a processor, not for the network.
    static let busyShare = 0.9
    /// Other traffic above this share of the test's bytes limits the rate.
    private static let foreign = 0.1
    /// The maximum that headers of Ethernet, IP and TCP add to full segments.
    private static let overhead = 1.06
    /// The shortest window in which other traffic is judged: some devices refresh their counters once a second.
    private static let judged = Duration.seconds(2)

    /// What may have limited the rate of the window that ends here.
    func limits(since start: HostCounters, ours: UInt64) -> Set<DirectionReport.Limit> {
        var limits: Set<DirectionReport.Limit> = []
        let seconds = (time - start.time).seconds
        if let from = start.busy, let to = busy, seconds > 0, (to - from).seconds / seconds > Self.busyShare {
            limits.insert(.cpu)
        }
        if contention.isRelevant(since: start.contention, after: time - start.time) { limits.insert(.cpu) }
        if time - start.time >= Self.judged, let from = start.device, let to = device, to > from {
            // On a short buffer a tenth and more is sent again.
            let ours = Double(max(ours, own.map { $0 &- min($0, start.own ?? $0) } ?? 0))
            if Double(to - from) - ours * Self.overhead > ours * Self.foreign { limits.insert(.crossTraffic) }
        }
        return limits
    }
}
