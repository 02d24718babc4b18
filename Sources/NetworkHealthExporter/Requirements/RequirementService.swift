import Coordination
import FoundationEssentials
import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle
import Statistics

/// The requirements of applications: whether each is met, at each change of the state.
///
/// Reads the state, the latency, the targets, the speed tests and the uplinks. `/health`, the queue and the status read its verdicts.
struct RequirementService: Service, Part {
    private static let interval = Duration.seconds(5)

    let evaluator: RequirementEvaluator
    private let host: HostMonitor
    private let internet: InternetService
    private let speedTests: SpeedTestService
    private let settings: Settings
    /// How long a measurement counts; nil: twice the longest gap of the speed tests.
    private let staleAfter: Locked<Duration?>
    private let stopwatch: Stopwatch
    private let alarm: Alarm

    init(
        _ context: PartContext,
        _ host: HostMonitor,
        _ targets: TargetService,
        _ internet: InternetService,
        _ speedTests: SpeedTestService,
        _ uplinks: UplinkService
    ) {
        let configuration = context.configuration
        (self.host, self.internet, self.speedTests, settings) = (host, internet, speedTests, context.settings)
        let evaluator = RequirementEvaluator(
            monitor: host.health,
            configuration: configuration,
            upTargets: { targets.up },
            isHostSilent: { speedTests.isHostSilent },
            uplinks: { uplinks.reports }
        )
        targets.onChange { _ in evaluator.evaluate() }
        uplinks.onChange { evaluator.evaluate() }
        self.evaluator = evaluator
        staleAfter = Locked(configuration.requirements.staleAfter)
        stopwatch = Stopwatch(.suspending)
        alarm = Alarm(stopwatch)
    }

    /// Reads, every 5 s, what no event reports: latency and loss, and the rate that the path's device receives.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var carried = CarriedRate()
            while !Task.isCancelled {
                refresh(&carried)
                await alarm.sleep(until: stopwatch.elapsed + Self.interval)
            }
        }
    }

    func apply(_ configuration: Configuration) {
        evaluator.apply(configuration)
        staleAfter.withLock { $0 = configuration.requirements.staleAfter }
        alarm.wake()
    }

    var collectors: [Collector] {
        [
            Collector(
                "quality",
                of: { [health = host.health] in
                    health.current.flatMap { $0.isSettling ? nil : $0.assessment(at: .now) }
                },
                QualityMetrics.quality
            ),
            Collector("requirements", of: { [evaluator] in evaluator.satisfied }, QualityMetrics.requirements),
        ]
    }

    /// `/health`.
    var view: HealthView {
        HealthView(
            requirements: evaluator,
            latency: { [internet] in internet.latency },
            nextMeasurement: { [speedTests] in speedTests.board.read(\.nextRun) },
            notice: { [speedTests] in speedTests.notice },
            speedTests: { [view = speedTests.view] in view.access }
        )
    }

    var routes: [Route] {
        [
            settings.route(
                .get,
                HealthView.path,
                HealthView.name,
                when: HealthView.isLongPoll,
                .longPoll(view.wait, present: view.answer)
            ),
            settings.route(.get, HealthView.path, HealthView.name, .immediate(view.answer)),
        ]
    }

    private func refresh(_ carried: inout CarriedRate) {
        let latency = internet.latency
        let uplink = host.health.current?.uplink
        let devices = host.path.devices
        let received = uplink.flatMap { devices.counters[$0.device]?.receivedBytes }
        let rate = carried.add(received, on: uplink, at: devices.at)
        let maxAge = staleAfter.withLock { $0 } ?? speedTests.board.read(\.staleAfter)
        host.health.learn { history in
            history.maxAge = maxAge
            history.setImpairments(Set(latency: latency?.latency, loss: latency?.lossRatio), on: uplink)
            if let uplink, let rate { history.carried(rate, on: uplink) }
        }
        evaluator.refresh(latency: latency)
    }
}
