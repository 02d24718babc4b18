import Coordination
import Foundation
import Lab
import Logging
import NetworkPath
import OfflineQueue
import Posix
import SpeedTestCore
import Statistics
import Storage

@testable import NetworkHealth
@testable import NetworkHealthExporter
@testable import NetworkPath
@testable import Probing

/// The parts that have collectors, as the exporter has them; they do not run, and change when the test says so.
final class CollectorFixture: Sendable {
    // Its own: those of the first test may be a minute older than what a later one measures.
    private let start = SuspendingClock.now
    private let origin = ContinuousClock.now

    let folder: TemporaryFolder
    let host: HostMonitor
    let follower: HostFollower?
    let targets: TargetService
    let internet: InternetService
    let speedTests: SpeedTestService
    let faults: FaultService
    let uplinks: UplinkService
    let requirements: RequirementService
    let queue: QueueService
    let server: SpeedTestServerPart
    let store: ConfigurationStore
    let requests = RequestMetrics()
    let database: Database
    let context: PartContext
    private let time = Locked(Duration.zero)

    init() throws {
        folder = try TemporaryFolder()
        store = try ConfigurationStore(file: try folder.write("exporter.yml", "path: { constrained: false }\n"))
        var configuration = Configuration()
        configuration.host.url = "http://127.0.0.1:9"
        configuration.speedTest.isEnabled = true
        configuration.speedTest.servers = [.home]
        configuration.plan.speeds.download.normal = 200_000_000
        configuration.requirements.own = [Self.call]
        configuration.targets.listed = [Self.target]
        configuration.offlineQueue.isEnabled = true
        var receiver = OfflineQueueSection.AllowedHost()
        receiver.schemes = ["http"]
        (receiver.host, receiver.ports, receiver.allowsPrivate) = ("127.0.0.1", [9], true)
        configuration.offlineQueue.allowedHosts = [receiver]
        try folder.write("proc/self/stat", Self.stat(resident: 1))
        try folder.write("storage/other", "")
        database = try Database(file: "\(folder.path)/storage/database", schema: .exporter)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        configuration.speedTestServer.isEnabled = true
        var settings = Settings()
        settings.storagePath = "\(folder.path)/storage/database"
        settings.path.roots.procfs = "\(folder.path)/proc"
        context = PartContext(
            configuration: configuration,
            settings: settings,
            storage: OpenedStorage(new: database),
            logger: logger
        )
        host = HostMonitor()
        follower = try HostFollower(configuration.host, host: host, logger: logger)
        targets = try TargetService(context, host)
        internet = InternetService(context, host, targets, follower)
        speedTests = SpeedTestService(context, host, follower)
        faults = FaultService(context, host, targets, internet, speedTests, follower) { [time, origin] in
            origin.advanced(by: time.withLock { $0 })
        }
        uplinks = UplinkService(context, host, targets, internet, speedTests, faults, nil) { [time, start] in
            start.advanced(by: time.withLock { $0 })
        }
        requirements = RequirementService(context, host, targets, internet, speedTests, uplinks)
        let memory = OpenedStorage(new: try Database(file: nil, schema: .exporter))
        let inMemory = PartContext(configuration: configuration, storage: memory, logger: logger)
        queue = try QueueService(inMemory, host, requirements)
        server = SpeedTestServerPart(context)
    }

    /// One whose queue has read its file.
    static func opened() async throws -> CollectorFixture {
        let fixture = try CollectorFixture()
        _ = await fixture.queue.queue.pendingRequests
        return fixture
    }

    var databaseFolder: String { "\(folder.path)/storage" }

    /// Their clock stands still, so that a change is seen by what it changes, and not because time has passed.
    var collectors: [Collector] {
        let now: @Sendable () -> SuspendingClock.Instant = { [time, start] in
            start.advanced(by: time.withLock { $0 })
        }
        let parts: [any Part] = [
            PathService(context, host, follower, now: now), targets, internet, speedTests, requirements, queue, server,
            faults, uplinks, ProcessPart(context, internet, targets, faults, uplinks, speedTests, queue, now: now),
            requests,
            ConfigurationPart(context, store: store, hangups: AsyncStream { $0.finish() }),
        ]
        return parts.flatMap(\.collectors)
    }

    /// Lets time pass for the collectors.
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }

    // MARK: What changes

    static var target: Target {
        var target = Target(name: "here", address: "127.0.0.1", probe: ICMPProbe())
        target.countsForLatency = true
        return target
    }

    /// A requirement that is met by a target that is up and a low latency.
    private static var call: Requirement {
        var call = Requirement(name: "call")
        (call.targets, call.maxLatency, call.hold) = (["here"], .milliseconds(100), .zero)
        return call
    }

    static func stat(resident pages: Int) -> String {
        "1 (x) S 1 1 1 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 0 4096 \(pages) 0\n"
    }

    var health: HealthMonitor { host.health }
    var path: PathOutput { host.path.output }

    /// The kernel's path is another one.
    func receive(_ device: String = "eth0", generation: UInt64 = 1, _ change: (inout Path) -> Void = { _ in }) {
        var update = PathUpdate.measured
        update.path.interface = Interface(name: device, index: 2, type: .wiredEthernet)
        update.generation = generation
        change(&update.path)
        health.receive(update)
    }

    func loseRoute() { receive { ($0.status, $0.unsatisfiedReason) = (.unsatisfied, .noRoute) } }

    func receive(internet state: InternetState, generation: UInt64 = 1) {
        health.receive(InternetVerdict(state: state, evidenceAt: .now, generation: generation))
    }

    /// The internet is found over the path, so that it is online.
    func goOnline(_ generation: UInt64 = 1) {
        receive(generation: generation)
        receive(internet: .online, generation: generation)
    }

    /// The uplink has a speed.
    func measure() {
        health.learn { history in
            guard let uplink = Uplink(PathUpdate.measured.path) else { return }
            history.set(SpeedMeasurement(download: .megabits(60), upload: nil, measuredAt: .now), of: uplink)
        }
    }

    /// The target has answered so many probes.
    func probe(_ count: Int) {
        targets.monitor.contextChanged(ProbeContext(), isNewUplink: false)
        for number in 1...count {
            for run in targets.monitor.table.withLock({ $0.start(at: .seconds(3600 * number)) }) {
                _ = targets.monitor.table.withLock { table in
                    var result = ProbeResult()
                    (result.rtt, result.receivedBytes) = (.milliseconds(3), 64)
                    return table.finish(run, result, startDelay: .milliseconds(2), date: .now, at: .now)
                }
            }
        }
    }

    /// The internet has answered so many checks.
    func check(_ count: Int = 1) throws {
        guard let monitor = internet.monitor else { throw CancellationError() }
        for _ in 0..<count {
            var result = ProbeResult()
            result.receivedBytes = 100
            var sample = InternetSample("google", .ipv4, result)
            sample.connecting = .took(.milliseconds(40))
            monitor.tools.record(sample)
        }
    }

    /// Another program has had so many answers.
    func observe(_ count: Int = 1) {
        for _ in 0..<count {
            var report = PassiveReport(at: .now)
            report.medianRTT = .milliseconds(50)
            internet.passive.take(report, [.milliseconds(50)])
        }
    }

    /// A speed test has ended.
    func test(_ report: SpeedTestReport) {
        speedTests.board.update { $0.endServer(report, now: .now) }
    }

    /// A request waits for the network.
    func enqueue() async throws {
        _ = try await queue.queue.cacheRequest(
            endpoint: "http://127.0.0.1:9/",
            method: "POST",
            requestType: "test"
        )
    }
}

extension HopTable {
    /// The first router of IPv4 has answered a probe.
    mutating func answer(by text: String) {
        guard let address = IPAddress(text) else { return }
        change(InternetPath(generation: 1, isSatisfied: true, families: [.ipv4]), at: .zero)
        for run in start(at: .zero) where run.turn.distance == 1 {
            let outcome = HopOutcome.answered(by: address, roundTrip: .milliseconds(1), isDestination: false)
            finish(run, outcome, sentAt: .now, at: .now)
        }
    }
}
