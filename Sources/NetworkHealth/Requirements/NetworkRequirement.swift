/// A use of the network, with the quality that it needs.
///
/// ```swift
/// guard await NetworkHealth.isGoodEnoughFor(.videoStreaming) else { return }
/// guard await NetworkHealth.isGoodEnoughFor(.custom(.good)) else { return }
/// ```
public enum NetworkRequirement: Sendable, Equatable {
    /// Web pages and small requests: moderate.
    case basicBrowsing
    /// Images: moderate.
    case imageLoading
    /// Video: good.
    case videoStreaming
    /// Gigabytes to receive: excellent.
    case largeDownload
    /// Gigabytes to send: excellent, and an upload of 50 Mbps where one was measured.
    case largeUpload
    /// Any other use.
    case custom(NetworkQuality)

    /// The minimum quality.
    public var quality: NetworkQuality {
        switch self {
        case .basicBrowsing, .imageLoading: .moderate
        case .videoStreaming: .good
        case .largeDownload, .largeUpload: .excellent
        case .custom(let quality): quality
        }
    }

    /// Its name in `/health`.
    package var name: String {
        switch self {
        case .basicBrowsing: "basicBrowsing"
        case .imageLoading: "imageLoading"
        case .videoStreaming: "videoStreaming"
        case .largeDownload: "largeDownload"
        case .largeUpload: "largeUpload"
        case .custom: "custom"
        }
    }

    /// All but `custom`.
    static let named: [NetworkRequirement] = [
        .basicBrowsing, .imageLoading, .videoStreaming, .largeDownload, .largeUpload,
    ]
}

/// Whether the network meets a requirement, and what to do if not.
///
/// ```swift
/// let result = await NetworkHealth.check(requirement: .largeUpload)
/// print(result.passed ? "The network is \(result.currentQuality)" : result.recommendation)
/// ```
public struct HealthCheckResult: Sendable, Equatable {
    /// Whether the requirement is met.
    public var passed: Bool
    /// The quality of the network.
    public var currentQuality: NetworkQuality
    /// The minimum quality of the requirement.
    public var requiredQuality: NetworkQuality
    /// What the user can do, in a sentence.
    public var recommendation: String

    /// Creates a result, for a test or a preview.
    public init(
        passed: Bool,
        currentQuality: NetworkQuality,
        requiredQuality: NetworkQuality,
        recommendation: String
    ) {
        self.passed = passed
        self.currentQuality = currentQuality
        self.requiredQuality = requiredQuality
        self.recommendation = recommendation
    }
}
