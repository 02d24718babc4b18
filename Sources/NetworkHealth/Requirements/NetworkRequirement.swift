/// What an application is about to do, by what it needs of the network.
public enum NetworkRequirement: Sendable, Equatable {
    /// Pages and small requests: moderate.
    case basicBrowsing
    /// Pictures: moderate.
    case imageLoading
    /// A film: good.
    case videoStreaming
    /// Gigabytes to come: excellent.
    case largeDownload
    /// Gigabytes to go: excellent, and an upload of 50 Mbps where one was measured.
    case largeUpload
    /// Anything else.
    case custom(NetworkQuality)

    /// The least quality for it.
    public var quality: NetworkQuality {
        switch self {
        case .basicBrowsing, .imageLoading: .moderate
        case .videoStreaming: .good
        case .largeDownload, .largeUpload: .excellent
        case .custom(let quality): quality
        }
    }

    /// As `/health` spells it.
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

/// Whether the network is good enough for something, and what to do if not.
public struct HealthCheckResult: Sendable, Equatable {
    /// Whether it is.
    public var passed: Bool
    /// How good the network is.
    public var currentQuality: NetworkQuality
    /// How good it would have to be.
    public var requiredQuality: NetworkQuality
    /// What to do about it, in a sentence for people.
    public var recommendation: String

    /// A result of your own, for a test or a preview.
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
