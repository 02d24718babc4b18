import Coordination
import Foundation
import Lab
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter
@testable import Probing

/// What is known about where a fault may be comes from the parts that know it.
struct EvidenceReaderTests {
    private func reader(_ fixture: CollectorFixture) -> EvidenceReader {
        EvidenceReader(
            targets: fixture.targets.monitor,
            internet: fixture.internet,
            speedTests: fixture.speedTests.board,
            hops: fixture.faults.hops,
            far: FarPings { _ in .cancelled },
            resolvers: fixture.faults.resolvers,
            procfs: "\(fixture.folder.path)/proc"
        )
    }

    private func evidence(
        _ fixture: CollectorFixture,
        _ rates: DeviceRates = DeviceRates(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> FaultEvidence {
        var configuration = fixture.context.configuration
        change(&configuration)
        let state = try #require(fixture.health.current)
        return reader(fixture).read(state, HopSetup(configuration), rates, at: .now)
    }

    @Test func `what the device carries, what the line was measured to carry, and how busy the host is are evidence`()
        async throws
    {
        let fixture = try await CollectorFixture.opened()
        fixture.goOnline()
        let uplink = try #require(fixture.health.current?.uplink)
        #expect(try evidence(fixture).host.processorPressure == nil, "this kernel does not say")
        try fixture.folder.write(
            "proc/pressure/cpu",
            "some avg10=12.50 avg60=3.00 avg300=1.00 total=9\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
        )
        fixture.health.learn { history in
            let speeds = SpeedMeasurement(download: .megabits(60), upload: .megabits(20), measuredAt: .now)
            history.set(speeds, of: uplink)
        }
        var rates = DeviceRates()
        for second in [0, 10] {
            var counters = DeviceCounters()
            counters.receivedBytes = UInt64(second) * 250_000
            counters.transmittedBytes = UInt64(second) * 12_500
            rates.add(counters, on: uplink, at: .seconds(second))
        }
        let host = try evidence(fixture, rates).host
        #expect(host.received == 2e6 && host.sent == 1e5)
        #expect(host.measuredDownload == 60e6 && host.measuredUpload == 20e6)
        #expect(host.processorPressure == 0.125, "a share, where the kernel has percent")
    }

    @Test func `a speed test that runs is evidence, and its result is while the path leads over its uplink`()
        async throws
    {
        let fixture = try await CollectorFixture.opened()
        fixture.goOnline()
        #expect(try !evidence(fixture).isTesting)
        fixture.speedTests.board.update { $0.beginServer(TrafficAccount()) }
        #expect(try evidence(fixture).isTesting)
        fixture.test(.good(at: Date.now.timeIntervalSince1970 - 60))
        let ended = try evidence(fixture)
        #expect(!ended.isTesting && ended.speedTest?.server == "home")
        #expect(ended.speedTest?.rate == 100e6 && ended.speedTest?.expected == 200e6)
        fixture.receive("wlan0", generation: 2)
        #expect(try evidence(fixture).speedTest == nil)
    }

    @Test func `the routers, the name servers and the internet checks are evidence, and where the provider begins`()
        async throws
    {
        let fixture = try await CollectorFixture.opened()
        fixture.receive { $0.supportsIPv4 = true }
        fixture.faults.decide()
        fixture.faults.hops.table.withLock { $0.answer(by: "192.0.2.1") }
        fixture.faults.resolvers.table.withLock { table in
            let path = InternetPath(generation: 1, isSatisfied: true, families: [.ipv4])
            table.change(path, servers: ["192.0.2.53"], at: .zero)
            for turn in table.start(at: .zero) { table.finish(turn, .silent, at: .now) }
        }
        try fixture.check(3)
        let known = try evidence(fixture) { $0.hops.firstProviderHop = 3 }
        #expect(known.hops.first?.hops.first?.addresses.map { "\($0)" } == ["192.0.2.1"])
        #expect(known.firstProviderHop == 3)
        #expect(known.nameServers.map(\.address) == ["192.0.2.53"])
        #expect(known.nameServers.first?.window.lossesInARow == 1)
        let checks = try #require(known.servers.first { $0.name == "the internet checks" })
        // The kernel sends a lost SYN again within the time of a check.
        #expect(checks.family == .ipv4 && checks.window.pushes == 3 && checks.showsWay && !checks.showsLoss)
        let none = try evidence(fixture) { $0.hops.isEnabled = false }
        #expect(none.hops.isEmpty && none.nameServers.count == 1)
    }

    @Test func `full packets that vanish are evidence for their family, with the largest that arrive`() async throws {
        let fixture = try await CollectorFixture.opened()
        fixture.goOnline()
        #expect(try evidence(fixture).smallPackets.isEmpty)
        func receive(_ reasons: Set<DegradedReason>) {
            let verdict = InternetVerdict(
                state: .degraded,
                families: [.ipv4: .degraded, .ipv6: .online],
                degradedReasons: reasons,
                evidenceAt: .now,
                pathMTU: [.ipv4: 1400],
                generation: 1
            )
            fixture.health.receive(verdict)
        }
        receive([.mtu])
        #expect(try evidence(fixture).smallPackets == [.ipv4: 1400])
        receive([.loss])
        #expect(try evidence(fixture).smallPackets.isEmpty)
    }
}
