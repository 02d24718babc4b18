import Coordination
import FoundationEssentials
import NetworkHealth
import NetworkPath
import Posix
import Testing

@testable import NetworkHealthExporter
@testable import Probing

/// What is not probed any more says nothing about now.
struct StoppedProbesTests {
    private func setup(_ yaml: String = "") throws -> HopSetup {
        HopSetup(try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]))
    }

    @Test func `an address that is pinged no more is forgotten`() async throws {
        let old = try #require(IPAddress("192.0.2.1"))
        let new = try #require(IPAddress("192.0.2.2"))
        let far = FarPings { _ in
            var result = ProbeResult()
            result.rtt = .milliseconds(5)
            return result
        }
        let task = Task { await far.run() }
        far.roundBegan(old)
        far.roundBegan(new)
        while far.servers.count < 2 { await Task.yield() }
        far.keep([new])
        #expect(far.servers.map(\.name) == ["192.0.2.2"])
        far.keep([])
        #expect(far.servers.isEmpty)
        task.cancel()
        await task.value
    }

    @Test func `nothing is pinged without hops, nor over a path whose cost forbids it`() throws {
        var path = Path(status: .satisfied)
        #expect(try setup().destinations(over: path).count == 2)
        #expect(try setup("hops: { enabled: false }").destinations(over: path).isEmpty)
        path.isExpensive = true
        #expect(try setup().destinations(over: path).isEmpty)
        #expect(try setup("hops: { on_expensive: run }").destinations(over: path).count == 2)
        path.isConstrained = true
        #expect(try setup("hops: { on_expensive: run }").destinations(over: path).isEmpty)
    }

    @Test(arguments: [(1700.0, false), (1900, true)])
    func `a target whose name was not resolved is no evidence for as long as the rules look back`(
        seconds: Double,
        isEvidence: Bool
    ) async throws {
        let fixture = try await CollectorFixture.opened()
        let monitor = fixture.targets.monitor
        monitor.contextChanged(ProbeContext(), isNewUplink: false)
        for run in monitor.table.withLock({ $0.start(at: .seconds(3600)) }) {
            _ = monitor.table.withLock { table in
                var result = ProbeResult(failure: .resolve, detail: "no name server answers")
                result.address = IPAddress("198.51.100.1")
                return table.finish(run, result, startDelay: .zero, date: .now, at: .now - .seconds(seconds))
            }
        }
        fixture.goOnline()
        fixture.faults.decide()
        #expect(fixture.faults.diagnosis.points.map(\.name).contains("here") == isEvidence)
    }

    @Test func `a target that is paused because of the cost of the path is no evidence`() async throws {
        let fixture = try await CollectorFixture.opened()
        let monitor = fixture.targets.monitor
        let address = try #require(IPAddress("198.51.100.1"))
        monitor.contextChanged(ProbeContext(), isNewUplink: false)
        for run in monitor.table.withLock({ $0.start(at: .seconds(3600)) }) {
            _ = monitor.table.withLock { table in
                var result = ProbeResult(failure: .timeout, detail: "no answer")
                result.address = address
                return table.finish(run, result, startDelay: .zero, date: .now, at: .now)
            }
        }
        func points() -> [String] {
            fixture.faults.decide()
            return fixture.faults.diagnosis.points.map(\.name)
        }
        fixture.goOnline()
        #expect(points().contains("here"))
        monitor.contextChanged(ProbeContext(isConstrained: true), isNewUplink: false)
        #expect(!points().contains("here"))
        monitor.contextChanged(ProbeContext(), isNewUplink: false)
        #expect(points().contains("here"))
    }
}
