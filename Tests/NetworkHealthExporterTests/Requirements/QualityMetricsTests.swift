import Foundation
import Statistics
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

struct QualityMetricsTests {
    @Test(arguments: [
        (60e6, "excellent", 4), (10e6, "good", 3), (1e6, "moderate", 2), (0.9e6, "poor", 1), (nil, "good", 3),
    ])
    func `the quality is a state set and a number, and says whether it was measured`(
        bitsPerSecond: Double?,
        quality: String,
        level: Int
    ) {
        let path = HealthState.online().path
        var evidence = QualityEvidence()
        if let bitsPerSecond {
            let rate = BitRate(bitsPerSecond: bitsPerSecond)
            evidence.measurement = SpeedMeasurement(download: rate, upload: nil, measuredAt: .now)
        }
        let assessment = QualityAssessment(path: path, isOnline: true, evidence: evidence, at: .now)
        let lines = printed(QualityMetrics.quality(assessment))
        #expect(
            lines.filter { !$0.hasPrefix("network_health_quality{") || $0.hasSuffix(" 1") } == [
                "network_health_quality{quality=\"\(quality)\"} 1", "network_health_quality_level \(level)",
                "network_health_quality_measured \(bitsPerSecond == nil ? 0 : 1)",
            ]
        )
    }

    @Test func `while offline the quality is 0, and before the first path it is absent`() {
        let offline = QualityAssessment(
            path: HealthState.offline().path,
            isOnline: false,
            evidence: QualityEvidence(),
            at: .now
        )
        let lines = printed(QualityMetrics.quality(offline))
        #expect(lines.contains("network_health_quality_level 0"))
        #expect(lines.contains(#"network_health_quality{quality="offline"} 1"#))
        #expect(!printed(QualityMetrics.quality(nil)).contains { $0.contains("level") || $0.contains("measured") })
    }

    /// `download 1250000`: a direction and bytes per second.
    private static func minimums(of requirement: Requirement) -> [String] {
        let satisfied = RequirementEvaluator.Satisfied(requirement: requirement, isSatisfied: false)
        return printed(QualityMetrics.requirements([satisfied])).compactMap { line in
            line.wholeMatch(of: /network_health_requirement_min_bytes_per_second\{.*direction="(\w+)"\} (\S+)/)
                .map { "\($0.1) \($0.2)" }
        }
    }

    private static func own(_ change: (inout Requirement) -> Void) -> Requirement {
        var requirement = Requirement(name: "own")
        change(&requirement)
        return requirement
    }

    @Test(arguments: [
        (Requirement.online, []),
        (Requirement.unmetered, []),
        (Requirement(.videoStreaming), ["download 1250000"]),
        (Requirement(.largeUpload), ["download 6250000", "upload 6250000"]),
        (own { $0.quality = .poor }, []),
        (own { ($0.quality, $0.minDownload) = (.moderate, 25e6) }, ["download 3125000"]),
        (own { ($0.quality, $0.minDownload) = (.good, 2e6) }, ["download 1250000"]),
        (own { $0.minUpload = 4e6 }, ["upload 500000"]),
    ])
    func `a requirement has the lowest speeds that meet it`(requirement: Requirement, expected: [String]) {
        #expect(Self.minimums(of: requirement) == expected)
    }
}
