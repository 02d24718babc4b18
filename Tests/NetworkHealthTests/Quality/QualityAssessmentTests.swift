import Foundation
import NetworkPath
import Statistics
import Testing

@testable import NetworkHealth

struct QualityAssessmentTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func assess(
        _ path: Path = .over(.wifi),
        isOnline: Bool? = true,
        download: Double? = nil,
        age: Double = 0,
        maxAge: Duration? = .seconds(3600),
        _ change: (inout QualityEvidence) -> Void = { _ in }
    ) -> QualityAssessment {
        var evidence = QualityEvidence(maxAge: maxAge)
        if let download {
            evidence.measurement = SpeedMeasurement(
                download: BitRate(bitsPerSecond: download),
                upload: nil,
                measuredAt: Self.now - age
            )
        }
        change(&evidence)
        return QualityAssessment(path: path, isOnline: isOnline, evidence: evidence, at: Self.now)
    }

    @Test(arguments: [
        (50e6, NetworkQuality.excellent), (49_999_999, .good), (10e6, .good), (9_999_999, .moderate), (1e6, .moderate),
        (999_999, .poor), (0, .poor),
    ])
    func `a fresh measurement decides, above and below the estimate`(
        download: Double,
        expected: NetworkQuality
    ) {
        let assessment = assess(download: download)
        #expect(assessment.quality == expected && assessment.source == .measured)
        #expect(assess(.over(.cellular), download: download).quality == expected)
    }

    @Test func `a measurement counts up to its age and no longer`() {
        #expect(assess(download: 100e6, age: 3600).source == .measured)
        let old = assess(download: 100e6, age: 3601)
        #expect(old.quality == .good && old.source == .estimated && old.measurement == nil)
        #expect(assess(download: 100e6, age: 1e9, maxAge: nil).source == .measured)
        #expect(assess(download: 100e6, age: -7200).source == .measured, "taken before the clock was set back")
    }

    @Test func `a measurement by a clock that was days ahead does not count until that day`() {
        #expect(assess(download: 100e6, age: -86_400).source == .measured)
        #expect(assess(download: 100e6, age: -86_401).source == .estimated)
        #expect(assess(download: 100e6, age: -86_401, maxAge: .seconds(2 * 86_400)).source == .measured)
        #expect(assess(download: 100e6, age: -1e9, maxAge: nil).source == .measured)
    }

    @Test(arguments: [
        (60e6, NetworkQuality.excellent, QualitySource.measured), (12e6, .good, .measured), (5e6, .good, .estimated),
    ])
    func `a lower bound counts where it is not below the estimate`(
        download: Double,
        quality: NetworkQuality,
        source: QualitySource
    ) {
        let assessment = assess(download: download) { $0.measurement?.download?.isLowerBound = true }
        #expect(assessment.quality == quality && assessment.source == source)
    }

    @Test func `without a path or an internet it is offline, whatever was measured`() {
        let gone = Path(status: .unsatisfied, unsatisfiedReason: .noRoute)
        #expect(assess(gone, isOnline: false, download: 100e6).quality == .offline)
        #expect(assess(isOnline: false, download: 100e6).quality == .offline)
        #expect(assess(isOnline: nil, download: 100e6).quality == .excellent, "it is not known yet")
    }

    @Test func `an upload alone leaves the quality to the estimate`() {
        let measured = SpeedMeasurement(download: nil, upload: .megabits(100), measuredAt: Self.now)
        let assessment = assess { $0.measurement = measured }
        #expect(assessment.source == .estimated && assessment.measurement == measured)
    }

    @Test func `high latency or loss takes one step off an estimate, and none off a measurement`() {
        #expect(assess { $0.impairments = [.loss] }.quality == .moderate)
        #expect(assess(.over(.cellular)) { $0.impairments = [.loss] }.quality == .poor)
        #expect(assess(.over(.wifi, speed: 10_000)) { $0.impairments = [.loss] }.quality == .poor)
        #expect(assess(download: 100e6) { $0.impairments = [.loss] }.quality == .excellent)
        #expect(assess { $0.impairments = [.latency, .loss] }.quality == .moderate, "one step in all")
        #expect(Set(latency: .milliseconds(300), loss: 0.05).isEmpty)
        #expect(Set(latency: .milliseconds(301), loss: nil) == [.latency])
        #expect(Set(latency: nil, loss: 0.051) == [.loss])
        #expect(Set(latency: nil, loss: nil).isEmpty)
    }

    @Test func `an observed rate raises an estimate, to good at most`() {
        #expect(assess(.over(.cellular)) { $0.carried = 10e6 }.quality == .good)
        #expect(assess(.over(.cellular)) { $0.carried = 1e9 }.quality == .good)
        #expect(assess(.over(.cellular)) { $0.carried = 9e6 }.quality == .moderate)
        #expect(assess(.over(.wifi)) { $0.carried = 10 }.quality == .good, "it never lowers")
        #expect(assess(download: 2e6) { $0.carried = 1e9 }.quality == .moderate, "a measurement stays")
    }
}

struct QualityEstimateTests {
    @Test(arguments: [
        (Interface.InterfaceType.wiredEthernet, NetworkQuality.good), (.wifi, .good), (.cellular, .moderate),
        (.other, .moderate), (.loopback, .moderate), (.unknown, .moderate),
    ])
    func `estimates by the type of the interface`(type: Interface.InterfaceType, expected: NetworkQuality) {
        #expect(QualityEstimate.quality(of: .over(type)) == expected)
    }

    @Test(arguments: Interface.InterfaceType.allCases)
    func `never promises excellent`(type: Interface.InterfaceType) {
        #expect(QualityEstimate.quality(of: .over(type, speed: 100_000_000_000)) <= .good)
    }

    @Test(arguments: [
        (UInt64(9_999_999), NetworkQuality.moderate), (10_000_000, .good), (999_999, .poor), (1_000_000, .moderate),
        (0, .poor),
    ])
    func `is lowered to what the link speed carries`(speed: UInt64, expected: NetworkQuality) {
        #expect(QualityEstimate.quality(of: .over(.wifi, speed: speed)) == expected)
    }

    @Test func `a fast link does not raise a modem`() {
        #expect(QualityEstimate.quality(of: .over(.cellular, speed: 1_000_000_000)) == .moderate)
    }

    @Test(arguments: [
        (Interface.InterfaceType.wifi, UInt64?.none, NetworkQuality.good), (.wifi, 5_000_000, .moderate),
        (.cellular, nil, .moderate), (.wiredEthernet, 500_000, .poor),
    ])
    func `a tunnel is as good as its underlying interface`(
        type: Interface.InterfaceType,
        speed: UInt64?,
        expected: NetworkQuality
    ) {
        let underlay = Interface(name: "wlan0", index: 3, type: type, linkSpeed: speed)
        let path = Path.over(.other, name: "wg0", underlay: underlay)
        #expect(QualityEstimate.carrier(of: path) == underlay)
        #expect(QualityEstimate.quality(of: path) == expected)
    }

    @Test func `a tunnel over an unknown interface is moderate`() {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "tun0", index: 5, type: .other, isVirtual: true, isTunnel: true)
        #expect(QualityEstimate.quality(of: path) == .moderate)
    }

    @Test func `a bridge keeps its own type, whatever is below it`() {
        var path = Path.over(.wiredEthernet, name: "br0")
        path.underlay = Interface(name: "wwan0", index: 3, type: .cellular)
        #expect(QualityEstimate.quality(of: path) == .good)
    }

    @Test(arguments: [Path.Status.unsatisfied, .requiresConnection])
    func `without a connection it is offline, whatever the interface`(status: Path.Status) {
        var path = Path.over(.wiredEthernet)
        path.status = status
        #expect(QualityEstimate.quality(of: path) == .offline)
    }

    @Test(arguments: [
        (50e6, NetworkQuality.excellent), (49_999_999, .good), (10e6, .good), (9_999_999, .moderate), (1e6, .moderate),
        (999_999, .poor), (0, .poor), (-1, .poor), (.nan, .poor), (.infinity, .excellent),
    ])
    func `measured speeds map by the contract's thresholds`(speed: Double, expected: NetworkQuality) {
        #expect(NetworkQuality(bitsPerSecond: speed) == expected)
    }
}
