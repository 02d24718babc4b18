import FoundationEssentials
import NetworkHealth
import NetworkPath
import Statistics

/// The answer of `/health` as JSON; what nobody knows is `null`.
struct HealthDocument: Encodable {
    /// Where the quality comes from.
    struct Evidence: Encodable {
        var source: String
        @Nullable var measuredAt: Date?
        @Nullable var ageSeconds: Double?
    }

    var requirement: String
    var passed: Bool
    @Nullable var currentQuality: String?
    @Nullable var requiredQuality: String?
    var reasons: [String]
    var recommendation: String
    @Nullable var quality: Evidence?
    @Nullable var nextMeasurementAt: Date?
    @Nullable var downloadMbps: Double?
    @Nullable var uploadMbps: Double?
    @Nullable var latencySeconds: Double?
    @Nullable var expensive: Bool?
    @Nullable var constrained: Bool?

    init(_ verdict: RequirementVerdict, latency: Duration?, nextMeasurement: Date?, at date: Date) {
        let measured = verdict.assessment?.measurement
        requirement = verdict.requirement.name
        passed = verdict.passed
        currentQuality = verdict.assessment?.quality.rawValue
        requiredQuality = verdict.requirement.requiredQuality?.rawValue
        reasons = verdict.reasons.map(\.rawValue)
        recommendation = verdict.recommendation
        quality = verdict.assessment.map { assessment in
            Evidence(
                source: assessment.source.rawValue,
                measuredAt: measured?.decisive?.measuredAt,
                ageSeconds: measured?.decisive?.age(at: date).rounded()
            )
        }
        nextMeasurementAt = nextMeasurement
        downloadMbps = measured?.download?.rate.megabits.toFiveDigits
        uploadMbps = measured?.upload?.rate.megabits.toFiveDigits
        latencySeconds = latency?.seconds.toMicroseconds
        expensive = verdict.state?.path.isExpensive
        constrained = verdict.state?.path.isConstrained
    }

    var json: [UInt8] { JSONDocument.encode(self) }
}
