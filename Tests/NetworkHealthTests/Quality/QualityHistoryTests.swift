import Foundation
import NetworkPath
import Statistics
import Testing

@testable import NetworkHealth

struct QualityHistoryTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let home = Uplink(name: "eth0 192.0.2.1")
    private let phone = Uplink(name: "wlan0 172.20.10.1")

    private func measurement(_ megabits: Double, age: Double = 0) -> SpeedMeasurement {
        SpeedMeasurement(download: .megabits(megabits), upload: nil, measuredAt: now - age)
    }

    @Test func `a measurement counts for its uplink only, and again when the host returns to it`() throws {
        var history = QualityHistory()
        history.set(measurement(5), of: try #require(home))
        history.setImpairments([.loss], on: home)
        history.carried(20e6, on: try #require(home))
        #expect(history.evidence(of: phone) == QualityEvidence())
        #expect(history.evidence(of: nil) == QualityEvidence())
        let evidence = history.evidence(of: home)
        #expect(evidence.measurement == measurement(5) && evidence.impairments == [.loss] && evidence.carried == 10e6)
    }

    @Test func `a travelling host forgets what it measured longest ago`() throws {
        var history = QualityHistory()
        for number in 0..<100 {
            let uplink = try #require(Uplink(name: "wlan0 10.0.0.\(number)"))
            history.set(measurement(5, age: Double(100 - number)), of: uplink)
            history.carried(1, on: uplink)
        }
        #expect(history.evidence(of: Uplink(name: "wlan0 10.0.0.0")).measurement == nil)
        #expect(history.evidence(of: Uplink(name: "wlan0 10.0.0.99")).measurement != nil)
    }

    @Test func `the uplink that is forgotten is the one recorded longest ago, also after a wrong clock`() throws {
        var history = QualityHistory()
        func set(_ number: Int, age: Double) throws {
            history.set(measurement(5, age: age), of: try #require(Uplink(name: "wlan0 10.0.0.\(number)")))
        }
        // The clock was a year ahead, and then corrected.
        for number in 0..<8 { try set(number, age: -31_536_000) }
        for number in 0...1 { try set(number, age: 0) }
        for number in 8...9 { try set(number, age: 0) }
        let known = (0...9).filter { history.evidence(of: Uplink(name: "wlan0 10.0.0.\($0)")).measurement != nil }
        #expect(known == [0, 1] + Array(4...9))
    }

    @Test func `the names of uplinks are read back`() throws {
        for name in ["eth0 192.0.2.1", "wwan0", "wg0/wwan0", "tun0/eth0 10.8.0.1"] {
            #expect(Uplink(name: name)?.name == name)
        }
        for name in [Uplink.none, Uplink.local, "", " "] { #expect(Uplink(name: name) == nil) }
    }

    @Test func `an uplink is labelled by its device, a tunnel by the device below it`() throws {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "br0", index: 3, type: .wiredEthernet)
        path.underlay = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        path.gateways = ["192.0.2.1", "2001:db8::1"]
        #expect(Uplink(path)?.label == "br0" && Uplink(path)?.name == "br0 192.0.2.1")
        path.interface = Interface(name: "wg0", index: 4, type: .other, isTunnel: true)
        path.gateways = []
        #expect(Uplink(path)?.label == "eth0" && Uplink(path)?.name == "wg0/eth0")
        path.underlay = nil
        #expect(Uplink(path)?.label == "wg0")
    }

    @Test
    func `a state on a new path has that uplink's measurement, and a measurement that becomes stale changes the state`()
        throws
    {
        var reducer = HealthReducer()
        var path = Path.over(.wiredEthernet)
        path.gateways = ["192.0.2.1"]
        let home = try #require(home)
        _ = reducer.apply(.made(path, evidence: 0, published: 0), at: Moment.at(0), date: now)
        let measured = reducer.apply(at: Moment.at(1), date: now) { history in
            history.maxAge = .seconds(60)
            history.set(measurement(2), of: home)
        }
        #expect(measured?.quality == .moderate && measured?.qualitySource == .measured)
        #expect(measured?.snapshot(at: now).downloadSpeedMbps == 2)
        path.gateways = ["192.0.2.2"]
        let elsewhere = reducer.apply(.made(path, 2, evidence: 2, published: 2), at: Moment.at(2), date: now)
        #expect(elsewhere.quality == .good && elsewhere.snapshot(at: now).downloadSpeedMbps == nil)
        path.gateways = ["192.0.2.1"]
        let back = reducer.apply(.made(path, 3, evidence: 3, published: 3), at: Moment.at(3), date: now)
        #expect(back.quality == .moderate)
        #expect(reducer.apply(at: Moment.at(63), date: now + 60) == nil)
        let old = reducer.apply(at: Moment.at(64), date: now + 61)
        #expect(old?.quality == .good && old?.qualitySource == .estimated)
    }
}
