import Glibc
import Lab
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Statistics

/// The course of a run: calm, then the breakage.
extension LineModel {
    /// Runs it, and hands what is known to `update` every few seconds from the breakage on.
    mutating func run(_ update: (FaultEvidence, ContinuousClock.Instant, Double) -> Void) {
        var time = 0.0
        for pause in search {
            probeHops(at: time)
            if confounder == .rejectingFirewall { refuse(at: time) }
            time += pause
        }
        let calm = Int.random(in: 0...30, using: &random)
        for _ in 0..<calm {
            time += 300
            probeHops(at: time)
            if confounder == .rejectingFirewall { refuse(at: time) }
            update(current(at: time + 5), instant(time + 5), -1)
        }
        for _ in 0..<30 {
            time += 10
            probeServers(at: time)
        }
        flush(at: time)
        update(current(at: time), instant(time), -1)
        trouble(from: time + Double.random(in: 1...10, using: &random), update)
    }

    private mutating func trouble(
        from start: Double,
        _ update: (FaultEvidence, ContinuousClock.Instant, Double) -> Void
    ) {
        brokenAt = start
        let isOutage = breakage?.kind == .dead && breakage?.place != .destination
        let noticed = start + Double.random(in: isOutage ? 3...10 : 20...40, using: &random)
        let isLong = breakage?.kind == .smallLoss || breakage?.place == .destination
        let length = isOutage ? 60.0 : isLong ? 740 : 240
        if confounder == .passingError, let sender = IPAddress("192.168.1.1"), let destination = IPAddress("192.0.2.1")
        {
            let at = instant(start + 2)
            report.refusals.append(
                Refusal(sender: sender, destination: destination, type: 3, code: 0, distance: 1, at: at)
            )
        }
        var (hopTime, serverTime, time) = (noticed, start + Double.random(in: 0...10, using: &random), start)
        let pace = isOutage || length < 200 ? 5.0 : 15
        while time < start + length {
            time += pace
            while min(hopTime, serverTime) < time {
                if hopTime <= serverTime {
                    probeHops(at: hopTime)
                    refuse(at: hopTime)
                    hopTime += 1.05
                } else {
                    probeServers(at: serverTime)
                    serverTime += 10
                }
            }
            flush(at: time)
            if isOutage, time >= noticed { suffer(since: start) }
            update(current(at: time), instant(time), time - start)
        }
    }

    private mutating func suffer(since start: Double) {
        let place = breakage?.place
        let isSilent = place == .router || confounder == .pinglessRouter
        let cause: OutageCause =
            place == .link && confounder != .tunnel ? .link : isSilent ? .gateway : .noInternet
        evidence.outage = FaultEvidence.OngoingOutage(cause, since: instant(start - 1))
        evidence.isOnline = false
        // The kernel has found out, or believes what was true before.
        let isBelieved = place != .router || queue < 0.15
        let confirmedAt = instant(place == .router ? start - 1 : start + 9)
        evidence.gateway?.isNeighbour = isBelieved
        evidence.gateway?.confirmedAt = confirmedAt
    }

    private func current(at time: Double) -> FaultEvidence {
        var current = evidence
        current.hops = [report]
        if confounder == .otherFamily {
            // Well, and by other routers.
            current.hops.append(HopReport(family: .ipv6))
        }
        return current
    }
}
