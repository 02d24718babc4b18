import Netlink
import NetworkHealth
import NetworkPath
import Statistics

/// What the counters of the path's device have shown in the last ten minutes: a value.
struct LinkHistory: Sendable {
    /// The time of which carrier changes and errors are counted, and that of the frames of a radio.
    static let span = Duration.seconds(600)
    static let radioSpan = Duration.seconds(60)
    /// With fewer frames a share of them says little.
    static let fewestFrames: UInt64 = 1000
    static let fewestSent: UInt32 = 100
    private static let pace = Duration.seconds(10)
    private static let longestPause = Duration.seconds(60)

    private struct Sample: Sendable {
        var at: OutcomeWindow.Instant
        var counters: DeviceCounters
    }

    private var device: String?
    /// The oldest first, with their pace; of those that are as old as the span, or older, the newest is kept.
    private var samples: [Sample] = []

    /// Takes the counters of now, and returns what is known about the link of that device.
    mutating func add(_ device: String?, _ counters: DeviceCounters?, at now: OutcomeWindow.Instant) -> LinkFacts {
        if device != self.device { (self.device, samples) = (device, []) }
        guard let counters else { return LinkFacts() }
        // A device that was made anew counts from 0. When in a long pause the counters grew, as in a suspend, is not known.
        if let last = samples.last, counters.hasRestarted(since: last.counters) || now > last.at + Self.longestPause {
            samples = []
        }
        if samples.last.map({ now >= $0.at + Self.pace }) ?? true {
            samples.append(Sample(at: now, counters: counters))
        }
        while samples.count > 1, samples[1].at <= now - Self.span { samples.removeFirst() }
        return facts(counters, at: now)
    }

    private func facts(_ counters: DeviceCounters, at now: OutcomeWindow.Instant) -> LinkFacts {
        var facts = LinkFacts()
        (facts.speed, facts.maxSpeed) = (counters.linkSpeed, counters.maxLinkSpeed)
        facts.signal = counters.station?.signal.map(Double.init)
        guard let oldest = samples.first?.counters else { return facts }
        if let old = oldest.carrierChanges, let new = counters.carrierChanges {
            facts.carrierChanges = Int(clamping: new - old)
        }
        facts.errorRatio = counters.errorRatio(since: oldest)
        let recent = samples.last { $0.at <= now - Self.radioSpan } ?? samples.first
        facts.retryRatio = recent.flatMap { sample in
            sample.counters.station.flatMap { counters.station?.retryRatio(since: $0) }
        }
        return facts
    }
}

extension DeviceCounters {
    fileprivate func hasRestarted(since old: DeviceCounters) -> Bool {
        func isLess(_ counter: (DeviceCounters) -> UInt64?) -> Bool {
            // One that is not known any more cannot be compared either.
            counter(old).map { old in counter(self).map { $0 < old } ?? true } ?? false
        }
        return isLess(\.carrierChanges) || isLess(\.receivedFrames) || isLess(\.receiveErrors)
    }

    fileprivate func errorRatio(since old: DeviceCounters) -> Double? {
        guard let frames = receivedFrames, let errors = receiveErrors, let oldFrames = old.receivedFrames,
            let oldErrors = old.receiveErrors
        else { return nil }
        // The kernel does not count a frame with an error as received (Documentation/networking/statistics.rst).
        // A driver that takes one from no errors counts 2⁶⁴ - 1 of them, to which no frame can be added as a whole number.
        let bad = Double(errors - oldErrors)
        let all = bad + Double(frames - oldFrames)
        return all < Double(LinkHistory.fewestFrames) ? nil : bad / all
    }
}

extension WirelessStation {
    /// Of all transmissions; nil with few, and after another association.
    fileprivate func retryRatio(since old: WirelessStation) -> Double? {
        guard let frames = transmittedFrames, let retries, let oldFrames = old.transmittedFrames,
            let oldRetries = old.retries, frames >= oldFrames, retries >= oldRetries,
            frames - oldFrames >= LinkHistory.fewestSent
        else { return nil }
        let (sent, again) = (Double(frames - oldFrames), Double(retries - oldRetries))
        return again / (sent + again)
    }
}
