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

    @Test func `without a path or an internet it is offline, whatever was measured`() {
        let gone = Path(status: .unsatisfied, unsatisfiedReason: .noRoute)
        #expect(assess(gone, isOnline: false, download: 100e6).quality == .offline)
        #expect(assess(isOnline: false, download: 100e6).quality == .offline)
        #expect(assess(isOnline: nil, download: 100e6).quality == .excellent, "nobody has asked yet")
    }

    @Test func `an upload alone leaves the quality to the estimate`() {
        let measured = SpeedMeasurement(download: nil, upload: .megabits(100), measuredAt: Self.now)
        let assessment = assess { $0.measurement = measured }
        #expect(assessment.source == .estimated && assessment.measurement == measured)
    }

    @Test func `high latency or loss takes one step off an estimate, and none off a measurement`() {
        #expect(assess { $0.isImpaired = true }.quality == .moderate)
        #expect(assess(.over(.cellular)) { $0.isImpaired = true }.quality == .poor)
        #expect(assess(.over(.wifi, speed: 10_000)) { $0.isImpaired = true }.quality == .poor)
        #expect(assess(download: 100e6) { $0.isImpaired = true }.quality == .excellent)
        #expect(!QualityEvidence.isImpaired(latency: .milliseconds(300), loss: 0.05))
        #expect(QualityEvidence.isImpaired(latency: .milliseconds(301), loss: nil))
        #expect(QualityEvidence.isImpaired(latency: nil, loss: 0.051))
        #expect(!QualityEvidence.isImpaired(latency: nil, loss: nil))
    }

    @Test func `an observed rate raises an estimate, to good at most`() {
        #expect(assess(.over(.cellular)) { $0.carried = 10e6 }.quality == .good)
        #expect(assess(.over(.cellular)) { $0.carried = 1e9 }.quality == .good)
        #expect(assess(.over(.cellular)) { $0.carried = 9e6 }.quality == .moderate)
        #expect(assess(.over(.wifi)) { $0.carried = 10 }.quality == .good, "it never lowers")
        #expect(assess(download: 2e6) { $0.carried = 1e9 }.quality == .moderate, "a measurement stands")
    }
}
