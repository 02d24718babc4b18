@testable import SpeedTestCore

/// A line whose rate is a function of time, sampled each 100 ms until the plan ends.
struct SyntheticLine {
    var share: UInt64?
    var window = Duration.seconds(3) ... .seconds(10)
    /// Seconds until the latency under load is known.
    var probed = 0.0
    /// The counters of the host at a moment, in seconds.
    var host: (_ seconds: Double) -> HostCounters = { HostCounters(time: .seconds($0)) }
    /// Bytes a second at a moment, in seconds, with so many streams.
    var rate: (_ seconds: Double, _ streams: Int) -> Double

    /// Runs a plan over it.
    func run() -> (plan: LoadPlan, ending: LoadPlan.Ending?, seconds: Double) {
        var plan = LoadPlan(share: share, length: window)
        var bytes = 0.0
        var before: HostCounters?
        for tick in 1...600 {
            let seconds = Double(tick) / 10
            bytes += rate(seconds, plan.streams) / 10
            let isExhausted = share.map { bytes >= Double($0) } ?? false
            let sample = LoadSample(time: .milliseconds(tick * 100), bytes: UInt64(bytes))
            let isLimited = { before.map { host(seconds).isCPUBound(since: $0) } ?? false }
            let step = plan.take(
                sample,
                isExhausted: isExhausted,
                isProbed: seconds >= probed,
                isLimited: isLimited
            )
            if step == .measure { before = host(seconds) }
            if case .end(let ending) = step { return (plan, ending, seconds) }
        }
        return (plan, nil, 60)
    }
}
