import FoundationEssentials
import NetworkHealth
import NetworkPath

/// Whether the requirement `online` holds, and why not.
struct HealthVerdict: Sendable, Equatable {
    var passed: Bool
    var reasons: [String]
    var quality: NetworkQuality?
    var isExpensive: Bool?
    var isConstrained: Bool?

    /// - Parameter state: nil before the first complete evaluation, which is `starting`.
    init(_ state: HealthState?) {
        passed = state?.isOnline ?? false
        reasons = passed ? [] : [state == nil ? "starting" : "offline"]
        quality = state?.quality
        isExpensive = state?.path.isExpensive
        isConstrained = state?.path.isConstrained
    }

    /// One line for people and shells.
    var text: String { passed ? "online" : reasons.joined(separator: ", ") }

    /// What to do about it.
    var recommendation: String {
        switch reasons.first {
        case nil: "Network quality is sufficient for this operation"
        case "starting": "The first evaluation is not complete yet. Try again in a second"
        default: "No network connection. Please check your internet"
        }
    }

    var json: [UInt8] { JSONDocument.encode(Document(self)) }

    /// The answer's fields by their names; what this version does not know is `null`.
    private struct Document: Encodable {
        var requirement = "online"
        var passed: Bool
        @Nullable var currentQuality: String?
        @Nullable var requiredQuality: String?
        var reasons: [String]
        var recommendation: String
        @Nullable var quality: QualityEvidence?
        @Nullable var nextMeasurementAt: Date?
        @Nullable var downloadMbps: Double?
        @Nullable var uploadMbps: Double?
        @Nullable var latencySeconds: Double?
        @Nullable var expensive: Bool?
        @Nullable var constrained: Bool?

        init(_ verdict: HealthVerdict) {
            passed = verdict.passed
            currentQuality = verdict.quality?.rawValue
            reasons = verdict.reasons
            recommendation = verdict.recommendation
            quality = verdict.quality.map { _ in QualityEvidence(source: QualitySource.estimated.rawValue) }
            expensive = verdict.isExpensive
            constrained = verdict.isConstrained
        }
    }

    /// Where the quality comes from.
    private struct QualityEvidence: Encodable {
        var source: String
        @Nullable var measuredAt: Date?
        @Nullable var ageSeconds: Double?

        init(source: String) { self.source = source }
    }
}
