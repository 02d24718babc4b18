import Foundation
import NetworkPath
import Probing
import Statistics
import Testing

@testable import NetworkHealth

extension RequirementTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// Everything is well over Wi-Fi, but for what a test changes.
    static func facts(
        _ path: Path = .over(.wifi),
        download: Double? = nil,
        upload: Double? = nil,
        age: Double = 0,
        latency: NetworkLatency? = nil,
        _ change: (inout RequirementFacts) -> Void = { _ in }
    ) -> RequirementFacts {
        var evidence = QualityEvidence(maxAge: .seconds(3600))
        if download != nil || upload != nil {
            evidence.measurement = SpeedMeasurement(
                download: download.map(BitRate.init(bitsPerSecond:)),
                upload: upload.map(BitRate.init(bitsPerSecond:)),
                measuredAt: now - age
            )
        }
        let state = HealthState(path: path, evidence: evidence, timestamp: now - age)
        var facts = RequirementFacts(state: state, latency: latency, date: now)
        change(&facts)
        return facts
    }

    static func reasons(
        _ facts: RequirementFacts,
        _ change: (inout Requirement) -> Void = { _ in }
    ) -> [HealthReason] {
        var requirement = Requirement(name: "x")
        change(&requirement)
        let verdict = requirement.evaluate(facts)
        #expect(verdict.passed == verdict.reasons.isEmpty)
        return verdict.reasons
    }
}
