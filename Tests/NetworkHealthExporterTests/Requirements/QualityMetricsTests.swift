import NetworkHealth
import Testing

@testable import NetworkHealthExporter

struct QualityMetricsTests {
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
