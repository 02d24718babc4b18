/// Limits that the network must meet; a limit that is nil is not checked.
///
/// ```swift
/// var call = Requirement(name: "call", quality: .moderate)
/// call.maxLatency = .milliseconds(150)
/// let verdict = call.evaluate(RequirementFacts(state: health.current, latency: latency, date: .now))
/// ```
package struct Requirement: Sendable, Equatable {
    /// How a requirement is evaluated without a fresh measurement.
    package enum Unmeasured: String, Sendable, CaseIterable {
        /// By an estimate from the path.
        case estimate
        /// It is not met.
        case fail
    }

    package var name: String
    package var quality: NetworkQuality?
    /// In bits per second.
    package var minDownload: Double?
    /// In bits per second.
    package var minUpload: Double?
    /// In bits per second; checked only where an upload was measured.
    package var minMeasuredUpload: Double?
    package var maxLatency: Duration?
    package var maxJitter: Duration?
    /// From 0 to 1.
    package var maxLoss: Double?
    package var allowsExpensive = true
    package var allowsConstrained = true
    /// The names of the targets that must be up.
    package var targets: [String] = []
    /// How long a measurement counts; nil: the general setting.
    package var maxAge: Duration?
    /// nil: the general setting.
    package var unmeasured: Unmeasured?
    /// The uplink that must meet it, whether it is in use or not; nil: the path.
    package var uplink: String?
    /// How long a value must be beyond its limit before the answer changes.
    package var hold = Duration.seconds(30)

    package init(name: String, quality: NetworkQuality? = nil) {
        (self.name, self.quality) = (name, quality)
    }

    /// Whether it depends on a speed.
    package var needsSpeed: Bool { quality != nil || minDownload != nil || minUpload != nil }

    /// The lowest download that meets it, in bits per second; 0: any.
    package var downloadMinimum: Double { Swift.max(quality?.minRate ?? 0, minDownload ?? 0) }
    /// The lowest upload that meets it, in bits per second; 0: any.
    package var uploadMinimum: Double { Swift.max(minUpload ?? 0, minMeasuredUpload ?? 0) }

    /// The required quality: the named one, or that of the required download.
    package var requiredQuality: NetworkQuality? {
        [quality, minDownload.map(NetworkQuality.init(bitsPerSecond:))].compactMap(\.self).max()
    }
}

extension Requirement {
    /// Online, at any speed and cost.
    package static let online = Requirement(name: "online")

    /// Online, and neither expensive nor constrained.
    package static let unmetered: Requirement = {
        var requirement = Requirement(name: "unmetered")
        requirement.allowsExpensive = false
        requirement.allowsConstrained = false
        return requirement
    }()

    /// The requirements of every exporter, in the order in which they are listed.
    package static let builtIn: [Requirement] =
        [online, unmetered] + NetworkRequirement.named.map(Requirement.init)

    /// The limits of a requirement of the library.
    package init(_ requirement: NetworkRequirement) {
        self.init(name: requirement.name, quality: requirement.quality)
        if case .largeUpload = requirement { minMeasuredUpload = NetworkQuality.excellent.minRate }
    }
}
