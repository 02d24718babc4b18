import Locking
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle
import SpeedTestCore
import Statistics

/// Looks at the requirements whenever something has changed that they are judged by.
///
/// Paths, verdicts, tests, targets and configurations are events; latency, loss and what the device carries are looked at
/// every 5 s.
struct RequirementService: Service {
    private static let interval = Duration.seconds(5)

    let board: RequirementBoard
    let monitor: HealthMonitor
    let targets: TargetMonitor
    let latency: @Sendable () -> NetworkLatency?
    let staleAfter: @Sendable () -> Duration
    let configurations: Broadcast<Configuration>
    /// Rung by whoever has news that are no change of the monitor.
    let alarm: Alarm
    let stopwatch: Stopwatch

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in monitor.changes() { alarm.ring() } }
                group.addTask {
                    for await configuration in configurations.values() {
                        board.apply(configuration)
                        alarm.ring()
                    }
                }
                group.addTask { await follow() }
            }
        }
    }

    private func follow() async {
        var carried = CarriedRate()
        while !Task.isCancelled {
            look(&carried)
            await alarm.sleep(until: stopwatch.elapsed + Self.interval)
        }
    }

    private func look(_ carried: inout CarriedRate) {
        let latency = latency()
        let uplink = monitor.current?.uplink
        let received = uplink.flatMap { monitor.pathMonitor.statistics.devices[$0.device]?.receivedBytes }
        let rate = carried.add(received, on: uplink, at: stopwatch.elapsed)
        let maxAge = configurations.current?.requirements.staleAfter ?? staleAfter()
        monitor.learn { history in
            history.maxAge = maxAge
            history.setImpaired(
                QualityEvidence.isImpaired(latency: latency?.latency, loss: latency?.lossRatio),
                on: uplink
            )
            if let uplink, let rate { history.carried(rate, on: uplink) }
        }
        let up = targets.reports.filter { $0.statistics.isUp == true }.map(\.target.name)
        board.look(latency: latency, upTargets: Set(up))
    }
}
