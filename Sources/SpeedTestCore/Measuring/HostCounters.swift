import Posix
import Statistics

/// The counters of this host at one end of the window: what else limits the rate.
struct HostCounters: Sendable, Equatable {
    /// What the test's device and its connections have carried in the load's direction, as packets of IP.
    struct Traffic: Sendable, Equatable {
        /// nil: not known.
        var device: DeviceCount.Way?
        /// How old the device's counters may be.
        var refresh = Duration.zero
        /// The test's own at most, repetitions and probes included.
        var own: UInt64
    }

    var time: Duration
    /// Of the thread that moves the load: it ran, or waited for a processor.
    var busy: Duration?
    var traffic: Traffic?
    var contention = ProcessorContention()

    /// A thread that never sleeps for long limits the rate: it waited for a processor, not for the network.
    private static let busyShare = 0.9
    /// Other traffic above this share of the test's bytes limits the rate.
    private static let foreign = 0.1
    /// The shortest window in which the device's counters are judged.
    private static let judged = Duration.seconds(2)
    /// The longest age of the device's counters, as a share of the window.
    private static let fresh = 0.05
    /// The headers of IPv4 and TCP, without options.
    private static let leastHeaders: UInt64 = 40
    /// By so much a rate may exceed what the device has received: the counters are read one after the other.
    private static let tolerance = 0.005

    /// Marks what has limited the rate of the window that ends here, and a rate that the device contradicts.
    func judge(_ report: inout DirectionReport, _ direction: Direction, since start: HostCounters) {
        report.limits.formUnion(limits(since: start))
        report.isProcessorBusy = isBusy(since: start)
        report.otherTraffic = carried(since: start).map {
            BitRate(bytesPerSecond: $0.foreign / (time - start.time).seconds)
        }
        guard direction == .download, let most = mostReceived(since: start) else { return }
        let rate = report.rate.bytesPerSecond
        guard rate > most * (1 + Self.tolerance) else { return }
        report.exceedsDevice = true
        // The interval reaches down to what the device has received.
        report.uncertainty = report.uncertainty.map { max($0, (rate - most) / rate) }
    }

    /// What may have limited the rate of the window that ends here.
    func limits(since start: HostCounters) -> Set<DirectionReport.Limit> {
        var limits: Set<DirectionReport.Limit> = []
        if isCPUBound(since: start) { limits.insert(.cpu) }
        if let (ours, foreign) = carried(since: start), foreign > ours * Self.foreign { limits.insert(.crossTraffic) }
        return limits
    }

    /// Whether the rate of the window that ends here is a lower bound: the thread that moves the load had no time to spare, or the
    /// processors were withheld.
    func isCPUBound(since start: HostCounters) -> Bool {
        isBusy(since: start) || contention.isRelevant(since: start.contention, after: time - start.time)
    }

    private func isBusy(since start: HostCounters) -> Bool {
        let window = time - start.time
        guard let from = start.busy, let to = busy, window > .zero else { return false }
        return (to - from) / window > Self.busyShare
    }

    /// The bytes of the test, and those of other traffic; nil: not known well enough.
    private func carried(since start: HostCounters) -> (ours: Double, foreign: Double)? {
        guard let to = traffic, isJudged(to, since: start), let from = start.traffic, let before = from.device,
            let after = to.device
        else { return nil }
        let ours = Double(to.own - min(to.own, from.own))
        return (ours, max(0, Double(after.bytes - min(after.bytes, before.bytes)) - ours))
    }

    /// Whether the window is long enough, and long beside the age of the device's counters.
    private func isJudged(_ traffic: Traffic, since start: HostCounters) -> Bool {
        let window = time - start.time
        return window >= Self.judged && traffic.refresh <= window * Self.fresh
    }

    /// Bytes of TCP payload a second that the device can have received at most; nil: not known well enough.
    private func mostReceived(since start: HostCounters) -> Double? {
        let window = time - start.time
        guard let traffic, isJudged(traffic, since: start), let from = start.traffic?.device, let to = traffic.device,
            to.bytes >= from.bytes, to.packets >= from.packets
        else { return nil }
        let (bytes, headers) = (to.bytes - from.bytes, (to.packets - from.packets) &* Self.leastHeaders)
        return Double(bytes - min(bytes, headers)) / window.seconds
    }
}

extension HostCounters.Traffic {
    /// Of this moment.
    init(_ direction: Direction, of account: TrafficAccount) {
        let (carried, device) = account.reading
        self.init(
            device: device?[direction],
            refresh: account.device.refresh,
            own: direction == .download ? carried.received.most : carried.sent.most
        )
    }
}
