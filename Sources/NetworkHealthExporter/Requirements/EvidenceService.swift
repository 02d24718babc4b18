import Locking
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle
import Statistics

/// Reads, every 5 s, what no event reports: latency and loss, and the rate that the path's device receives.
struct EvidenceService: Service {
    private static let interval = Duration.seconds(5)

    let host: HostMonitor
    let requirements: RequirementEvaluator
    let latency: @Sendable () -> NetworkLatency?
    /// How long a measurement counts.
    let maxAge: @Sendable () -> Duration
    let configurations: Broadcast<Configuration>
    private let stopwatch = Stopwatch(.suspending)

    func run() async throws {
        let alarm = Alarm(stopwatch)
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in configurations.values() { alarm.wake() } }
                group.addTask {
                    var carried = CarriedRate()
                    while !Task.isCancelled {
                        refresh(&carried)
                        await alarm.sleep(until: stopwatch.elapsed + Self.interval)
                    }
                }
            }
        }
    }

    private func refresh(_ carried: inout CarriedRate) {
        let latency = latency()
        let uplink = host.health.current?.uplink
        let received = uplink.flatMap { host.path.statistics.devices[$0.device]?.receivedBytes }
        let rate = carried.add(received, on: uplink, at: stopwatch.elapsed)
        let maxAge = maxAge()
        host.health.learn { history in
            history.maxAge = maxAge
            history.setImpairments(Set(latency: latency?.latency, loss: latency?.lossRatio), on: uplink)
            if let uplink, let rate { history.carried(rate, on: uplink) }
        }
        requirements.refresh(latency: latency)
    }
}

/// The rate that a device receives, over 10 s; pure.
struct CarriedRate {
    private static let width = Duration.seconds(10)

    private var start: (uplink: Uplink, bytes: UInt64, at: Duration)?

    /// Takes the device's counter.
    ///
    /// - Parameters:
    ///   - bytes: received since the device exists; nil if unknown.
    ///   - uplink: the device's uplink; nil without one.
    ///   - now: on a monotonic clock.
    /// - Returns: bits a second over the last 10 s or more; nil until 10 s have passed.
    mutating func add(_ bytes: UInt64?, on uplink: Uplink?, at now: Duration) -> Double? {
        guard let bytes, let uplink else {
            start = nil
            return nil
        }
        guard let start, start.uplink == uplink, start.bytes <= bytes else {
            self.start = (uplink, bytes, now)
            return nil
        }
        let time = now - start.at
        guard time >= Self.width else { return nil }
        self.start = (uplink, bytes, now)
        return Double(bytes - start.bytes) * 8 / time.seconds
    }
}
