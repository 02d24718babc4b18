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
