extension InternetPath {
    /// Whether packets can be sent.
    var carries: Bool { isSatisfied && !families.isEmpty }

    /// Whether nothing else has changed.
    func differsOnlyByPortal(from other: Self) -> Bool {
        guard portal != other.portal else { return false }
        var same = other
        (same.portal, same.generation) = (portal, generation)
        return self == same
    }

    /// Whether packets take the same route as before.
    func leads(likewise other: Self) -> Bool {
        isSatisfied == other.isSatisfied && families == other.families && uplink == other.uplink
    }
}
