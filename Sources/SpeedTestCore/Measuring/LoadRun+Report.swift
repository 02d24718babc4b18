import Locking
import Statistics

extension LoadRun {
    /// What else goes on at this moment.
    func surroundings(at time: Duration) -> Surroundings {
        Surroundings(
            time: time,
            processor: transport.processorTime,
            device: deviceBytes?().map { direction == .download ? $0.received : $0.transmitted }
        )
    }

    /// What it comes to.
    func report(_ outcome: Outcome) throws(SpeedTestFailure) -> DirectionReport {
        let ending = try outcome.ending.get()
        let name = direction.rawValue
        if ending == .stalled { throw SpeedTestFailure(.timeout, "nothing moved any more in the \(name)") }
        guard let window = outcome.plan.window, let calm = window.calm,
            WindowRule.isUsable(
                window.duration,
                ending: ending,
                shortest: options.window.lowerBound,
                roundTrip: idle?.latency
            ), calm.bytesPerSecond >= WindowRule.leastRate
        else {
            let (bytes, time) = (outcome.plan.window?.bytes ?? 0, outcome.plan.window?.duration ?? .zero)
            throw SpeedTestFailure(.short, "the \(name) moved \(bytes) bytes in \(time) after its warm-up: too little")
        }
        var report = DirectionReport(
            bytesPerSecond: calm.bytesPerSecond,
            bytes: calm.bytes,
            window: calm.duration,
            isStable: window.isStable,
            accounting: direction == .download ? .receiver : .acknowledged,
            streams: book.streams.alive
        )
        if let counted = ServerCount.between(counts.withLock { $0 }, atLeast: window.duration / 2) {
            report.bytes = counted.bytes
            report.window = counted.duration
            report.bytesPerSecond = counted.bytesPerSecond
            report.accounting = .receiver
        }
        let probes = probes.withLock { $0 }
        report.loadedLatency = probes.latency
        report.responsiveness = probes.responsiveness
        report.congestionControl = book.congestionControl
        if ending == .dataCap { report.limits.insert(.dataCap) }
        if book.streams.failed > 0 { report.limits.insert(.server) }
        if let before = outcome.before, let after = outcome.after {
            report.limits.formUnion(after.limits(since: before, ours: window.bytes))
        }
        return report
    }
}
