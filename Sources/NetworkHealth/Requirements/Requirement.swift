/// What somebody needs of the network; each limit that is nil does not matter.
package struct Requirement: Sendable, Equatable {
    /// What to answer without a fresh measurement.
    package enum Unmeasured: String, Sendable, CaseIterable {
        /// By what the path promises.
        case estimate
        /// No.
        case fail
    }

    package var name: String
    package var quality: NetworkQuality?
    /// Bits a second.
    package var minDownload: Double?
    /// Bits a second.
    package var minUpload: Double?
    /// Bits a second; asked only where an upload was measured.
    package var minMeasuredUpload: Double?
    package var maxLatency: Duration?
    package var maxJitter: Duration?
    /// From 0 to 1.
    package var maxLoss: Double?
    package var allowsExpensive = true
    package var allowsConstrained = true
    /// Names of targets that must be up.
    package var targets: [String] = []
    /// How long a measurement counts; nil: as long as for everybody.
    package var maxAge: Duration?
    /// nil: as for everybody.
    package var unmeasured: Unmeasured?
    /// How long a value must be on the other side of its limit before the answer changes.
    package var hold = Duration.seconds(30)

    package init(name: String, quality: NetworkQuality? = nil) {
        (self.name, self.quality) = (name, quality)
    }

    /// Whether a speed decides about it.
    package var asksForSpeed: Bool { quality != nil || minDownload != nil || minUpload != nil }

    /// The quality that is asked for: by its name, or by the download that it needs.
    package var requiredQuality: NetworkQuality? {
        [quality, minDownload.map(NetworkQuality.init(bitsPerSecond:))].compactMap(\.self).max()
    }
}

extension Requirement {
    /// Usable, at whatever speed and cost.
    package static let online = Requirement(name: "online")

    /// Usable without thinking about what it costs.
    package static let unmetered: Requirement = {
        var requirement = Requirement(name: "unmetered")
        requirement.allowsExpensive = false
        requirement.allowsConstrained = false
        return requirement
    }()

    /// Those that every exporter knows, in the order in which they are told.
    package static let builtIn: [Requirement] =
        [online, unmetered] + NetworkRequirement.named.map(Requirement.init)

    /// What the library's requirement asks for.
    package init(_ requirement: NetworkRequirement) {
        self.init(name: requirement.name, quality: requirement.quality)
        if case .largeUpload = requirement { minMeasuredUpload = NetworkQuality.excellent.minRate }
    }
}
