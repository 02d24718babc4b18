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

    var json: [UInt8] {
        JSONDocument.encode(
            Document(
                requirement: "online",
                passed: passed,
                currentQuality: quality?.rawValue,
                reasons: reasons,
                recommendation: recommendation,
                expensive: isExpensive,
                constrained: isConstrained
            )
        )
    }

    private struct Document: Encodable {
        var requirement: String
        var passed: Bool
        @Nullable var currentQuality: String?
        var reasons: [String]
        var recommendation: String
        @Nullable var expensive: Bool?
        @Nullable var constrained: Bool?
    }
}
