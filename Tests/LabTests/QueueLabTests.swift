import Coordination
import Foundation
import Lab
import NetworkHealth
import NetworkPath
import Posix
import Probing
import SpeedTestCore
import Statistics
import Testing

@testable import Probing

/// A speed test over a line whose queue is at one place: the routers on the way show where.
@Suite(.timeLimit(.minutes(2)))
struct QueueLabTests {
    private let line: ProviderLine
    private let readiness: Readiness
    private let log = RefusalLog()

    init() throws {
        line = try ProviderLine()
        readiness = try Readiness(name: "queue-lab")
    }

    /// Packets to the far side wait there: 8 Mbit/s and up to 200 ms.
    private func shape(_ place: QueueLocation) throws {
        let near: [QueueLocation: Namespace] = [.link: line.host, .access: line.router, .provider: line.provider]
        let namespace = try #require(near[place])
        try run(
            ["tc", "-n", namespace.name, "qdisc", "add", "dev", "far", "root", "tbf"]
                + ["rate", "8mbit", "burst", "4096", "latency", "200ms"]
        )
    }

    /// The way of an upload while it runs; the evidence, and its time.
    private func evidence(of direction: Direction) async throws -> (
        FaultEvidence, Range<ContinuousClock.Instant>, Duration?
    ) {
        var configuration = HopConfiguration()
        configuration.destinations = ProviderLine.destinations.filter { $0.key == .ipv4 }
        let destination = try #require(configuration.destinations[.ipv4])
        let far = Locked(OutcomeWindow())
        let (rounds, began) = AsyncStream<IPAddress>.makeStream()
        let probing = HopProbe(device: nil, readiness: readiness, refusals: log, openSocket: line.host.openSocket)
        let monitor = HopMonitor(configuration, probing: probing, refusals: log, onRound: { began.yield($0) })
        let pinger = Pinger(readiness: readiness, openSocket: line.host.openSocket) { _ in }
        let server = SpeedTestServer(name: "lab", dialect: .speedlab, url: "http://\(destination):8000")
        let engine = try line.host.inside {
            var options = SpeedTestOptions()
            (options.idleSamples, options.directions) = (5, [direction])
            options.window = .seconds(5) ... .seconds(6)
            return SpeedTestEngine(server: server, options: options, userAgent: "lab")
        }
        let times = Locked<[ContinuousClock.Instant]>([])
        let report: SpeedTestReport? = await withTaskGroup(of: SpeedTestReport?.self) { group in
            group.addTask {
                await monitor.run()
                return nil
            }
            group.addTask {
                await withDiscardingTaskGroup { pings in
                    for await address in rounds {
                        pings.addTask {
                            let end = ContinuousClock.now + .seconds(2)
                            let result = await pinger.ping(SocketAddress(address), name: "far", device: nil, until: end)
                            if !Task.isCancelled { far.withLock { $0.push(result.rtt, at: .now) } }
                        }
                    }
                }
                return nil
            }
            // As with a running test: a round a second, from before the load on.
            monitor.modeChanged(.speedTest)
            monitor.pathChanged(InternetPath(generation: 1, isSatisfied: true, families: [.ipv4]))
            group.addTask {
                await engine.run { progress in
                    if progress.phase.direction == direction { times.withLock { $0.append(.now) } }
                }
            }
            for await report in group {
                guard let report else { continue }
                group.cancelAll()
                return report
            }
            return nil
        }
        let found = try #require(report)
        #expect(found.failure == nil, "\(found)")
        var evidence = FaultEvidence()
        evidence.path = Path(status: .satisfied)
        evidence.isOnline = true
        evidence.hops = monitor.reports
        evidence.servers = [FaultEvidence.Server("far", .ipv4, window: far.withLock { $0 })]
        let (first, last) = try times.withLock { (try #require($0.first), try #require($0.last)) }
        let idle = try #require(found.ping?.latency)
        return (evidence, first..<last, found[direction]?.loadedLatency.map { $0 - idle })
    }

    private func check(_ place: QueueLocation) async throws {
        let script = try Script(
            in: line.server,
            SpeedTestLabTests.server.replacing("198.18.0.1", with: "198.18.3.2")
        )
        if place != .nowhere { try shape(place) }
        let (evidence, load, rise) = try await evidence(of: .upload)
        let ways = evidence.hops.flatMap(\.hops).map {
            "\($0.distance): \($0.window.newest().list.map { $0 ?? .zero })"
        }
        #expect(QueueRule.location(evidence, under: load, rise: rise) == place, "\(ways), rise \(rise ?? .zero)")
        withExtendedLifetime(script) {}
    }

    @Test func `A queue between the router and the provider is that of the access`() async throws {
        try await check(.access)
    }

    @Test(.enabled(if: isLong), arguments: [QueueLocation.link, .provider])
    func `A queue on the cable is on the link, and one behind the provider's first hop is the provider's`(
        place: QueueLocation
    )
        async throws
    {
        try await check(place)
    }

    /// NHE_LONG_LAB=1: all places, not the one alone that CI has time for.
    private static let isLong = ProcessInfo.processInfo.environment["NHE_LONG_LAB"] == "1"
}
