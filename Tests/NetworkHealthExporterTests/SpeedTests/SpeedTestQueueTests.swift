import Coordination
import NetworkPath
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SpeedTestQueueTests {
    private let now = ContinuousClock.now

    @Test func `a load lasts from the first to the last progress of its direction`() {
        var state = SpeedTestState.home()
        state.beginServer(TrafficAccount())
        let phases: [SpeedTestProgress.Phase] = [
            .connecting, .latency, .download, .download, .upload, .upload, .upload,
        ]
        for (second, phase) in phases.enumerated() {
            state.advance(SpeedTestProgress(phase, fraction: 0), at: now + .seconds(second))
        }
        #expect(state.running?.progress.phase == .upload)
        #expect(
            state.running?.loads == [
                .download: now + .seconds(2)..<now + .seconds(3), .upload: now + .seconds(4)..<now + .seconds(6),
            ]
        )
        state.endServer(.good(), now: SpeedTestState.start)
        #expect(state.running == nil)
    }

    @Test func `each direction has the place of its own load, and its rise over the latency without load`() {
        var report = SpeedTestReport.good()
        report.locate([.download: now..<now + .seconds(8)], over: nil) { load, rise in
            load == now..<now + .seconds(8) && rise == .milliseconds(60) ? .access : .unknown
        }
        #expect(report.download?.queue == .access && report.upload?.queue == nil)
        report.locate([.upload: now..<now + .seconds(8)], over: nil) { _, rise in rise == nil ? .nowhere : nil }
        #expect(report.download?.queue == nil && report.upload?.queue == .nowhere)
        report.locate([.download: now..<now + .seconds(8)], over: nil, nil)
        #expect(report.download?.queue == nil)
    }

    private func device(_ speed: UInt64?) -> Interface {
        Interface(name: "eth0", index: 2, type: .wiredEthernet, linkSpeed: speed)
    }

    private static let speeds: [(UInt64?, Bool)] = [(111_000_000, true), (112_000_000, false), (nil, false)]

    @Test(arguments: speeds)
    func `nine tenths of the link's speed are limited by it`(speed: UInt64?, isLimited: Bool) {
        var report = SpeedTestReport.good()
        report.locate([:], over: device(speed), nil)
        #expect(report.link == .init(type: "ethernet", speedMbps: speed.map { Double($0) / 1e6 }))
        #expect(report.download?.limits == (isLimited ? [.dataCap, .linkSpeed] : [.dataCap]))
        #expect(report.upload?.limits == [] && report.download?.isLowerBound == false)
    }

    @Test func `a test against this host crosses neither a cable nor a queue`() {
        var report = SpeedTestReport.good()
        report.isLocal = true
        report.locate([.download: now..<now + .seconds(8)], over: device(100_000_000)) { _, _ in .access }
        #expect(report.download?.queue == nil && report.download?.limits == [.dataCap] && report.link == nil)
    }

    @Test func `the part that probes the way finds the place, and none where no router was probed`() async throws {
        let fixture = try await CollectorFixture.opened()
        let locate = try #require(fixture.speedTests.board.queueLocator)
        #expect(locate(now - .seconds(8)..<now, nil) == nil, "no path")
        fixture.goOnline()
        #expect(locate(now - .seconds(8)..<now, .seconds(1)) == nil)
    }

    @Test func `what finds the place of a queue goes no deeper after a thousand tests`() throws {
        let board = SpeedTestBoard(.home())
        let places = Locked<[UInt]>([])
        board.setQueueLocator { _, _ in
            var local = 0
            withUnsafeMutablePointer(to: &local) { place in places.withLock { $0.append(UInt(bitPattern: place)) } }
            return nil
        }
        for _ in 1...1000 { _ = board.queueLocator?(now..<now, nil) }
        let (first, last) = try places.withLock { (try #require($0.first), try #require($0.last)) }
        #expect(places.withLock { $0.count } == 1000)
        #expect(first - last == 0, "bytes of stack")
    }
}
