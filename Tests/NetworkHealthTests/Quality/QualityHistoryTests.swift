import Foundation
import NetworkPath
import Testing

@testable import NetworkHealth

struct QualityHistoryTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let home = Uplink(name: "eth0 192.0.2.1")
    private let phone = Uplink(name: "wlan0 172.20.10.1")

    private func measurement(_ download: Double, age: Double = 0) -> SpeedMeasurement {
        SpeedMeasurement(download: download, upload: nil, measuredAt: now - age)
    }

    @Test func `what was measured on one uplink says nothing of another, and is there again when it comes back`() throws
    {
        var history = QualityHistory()
        history.add(measurement(5e6), on: try #require(home), at: now)
        history.setImpaired(true, on: home)
        history.carried(20e6, on: try #require(home))
        #expect(history.evidence(of: phone) == QualityEvidence())
        #expect(history.evidence(of: nil) == QualityEvidence())
        let evidence = history.evidence(of: home)
        #expect(evidence.measurement == measurement(5e6) && evidence.isImpaired && evidence.carried == 10e6)
    }

    @Test func `an older test does not replace a newer one`() throws {
        var history = QualityHistory()
        let home = try #require(home)
        history.add(measurement(5e6), on: home, at: now)
        history.add(measurement(50e6, age: 10), on: home, at: now)
        #expect(history.evidence(of: home).measurement?.download?.bitsPerSecond == 5e6)
        history.add(measurement(7e6), on: home, at: now)
        #expect(history.evidence(of: home).measurement?.download?.bitsPerSecond == 7e6)
    }

    @Test func `a direction that a test did not measure keeps its last good value and its time`() throws {
        var history = QualityHistory()
        let home = try #require(home)
        history.add(SpeedMeasurement(download: 90e6, upload: 5e6, measuredAt: now - 3600), on: home, at: now)
        history.add(SpeedMeasurement(download: 95e6, upload: nil, measuredAt: now - 60), on: home, at: now)
        let known = try #require(history.evidence(of: home).measurement)
        #expect(known.download == .init(bitsPerSecond: 95e6, measuredAt: now - 60))
        #expect(known.upload == .init(bitsPerSecond: 5e6, measuredAt: now - 3600))
        history.add(SpeedMeasurement(download: nil, upload: 6e6, measuredAt: now), on: home, at: now)
        #expect(history.evidence(of: home).measurement?.download == known.download)
        #expect(history.evidence(of: home).measurement?.upload == .init(bitsPerSecond: 6e6, measuredAt: now))
    }

    @Test func `what a clock that was ahead has dated does not keep out what is measured later`() throws {
        var history = QualityHistory()
        let home = try #require(home)
        let ahead = now + 25 * 365 * 86_400
        history.add(SpeedMeasurement(download: 90e6, upload: nil, measuredAt: ahead), on: home, at: ahead)
        history.add(measurement(5e6), on: home, at: now)
        #expect(history.evidence(of: home).measurement?.download == .init(bitsPerSecond: 5e6, measuredAt: now))
    }

    @Test func `a travelling host forgets what it measured longest ago`() throws {
        var history = QualityHistory()
        for number in 0..<100 {
            let uplink = try #require(Uplink(name: "wlan0 10.0.0.\(number)"))
            history.add(measurement(5e6, age: Double(100 - number)), on: uplink, at: now)
            history.carried(1, on: uplink)
        }
        #expect(history.evidence(of: Uplink(name: "wlan0 10.0.0.0")).measurement == nil)
        #expect(history.evidence(of: Uplink(name: "wlan0 10.0.0.99")).measurement != nil)
    }

    @Test func `the names of uplinks are read back`() throws {
        for name in ["eth0 192.0.2.1", "wwan0"] { #expect(Uplink(name: name)?.name == name) }
        #expect(Uplink(name: Uplink.none) == nil && Uplink(name: "") == nil)
    }

    @Test func `a state on a new path has that uplink's measurement, and a measurement that grows old is told`() throws
    {
        var reducer = HealthReducer()
        var path = Path.over(.wiredEthernet)
        path.gateways = ["192.0.2.1"]
        let home = try #require(home)
        _ = reducer.apply(.made(path, evidence: 0, published: 0), at: Moment.at(0), date: now)
        let measured = reducer.apply(at: Moment.at(1), date: now) { history in
            history.maxAge = .seconds(60)
            history.add(measurement(2e6), on: home, at: now)
        }
        #expect(measured?.quality == .moderate && measured?.qualitySource == .measured)
        #expect(measured?.snapshot.downloadSpeedMbps == 2)
        path.gateways = ["192.0.2.2"]
        let elsewhere = reducer.apply(.made(path, 2, evidence: 2, published: 2), at: Moment.at(2), date: now)
        #expect(elsewhere.quality == .good && elsewhere.snapshot.downloadSpeedMbps == nil)
        path.gateways = ["192.0.2.1"]
        let back = reducer.apply(.made(path, 3, evidence: 3, published: 3), at: Moment.at(3), date: now)
        #expect(back.quality == .moderate)
        #expect(reducer.apply(at: Moment.at(63), date: now + 60) == nil)
        let old = reducer.apply(at: Moment.at(64), date: now + 61)
        #expect(old?.quality == .good && old?.qualitySource == .estimated)
    }
}
