import Posix

/// Whom one round asks.
struct RoundPlan: Sendable, Equatable {
    /// Counted up: what an older round reports is void.
    var id: UInt64
    var families: [AddressFamily: FamilyPlan]
    /// The routers of the path, of either family.
    var gateways: [ProbeSurroundings.Gateway] = []
    /// The portal's own interface (RFC 8908) to be asked; nil: none is known, or it need not be.
    var portalURI: String?
}

/// How one family is looked at in a round.
struct FamilyPlan: Sendable, Equatable {
    var depth: Depth
    /// HTTPS too, even if the first check succeeds: that is how an interception is seen.
    var asksHTTPS = false
    /// Literal addresses from the start: a moment ago no name could be resolved.
    var asksLiterals = false

    enum Depth: Sendable, Equatable {
        /// All was well: the first check, the other operators only if it fails or keeps silent. What a failure is put
        /// down to is left to the rounds that confirm it.
        case routine
        /// Nothing is known yet: as above, and the cause as well.
        case fresh
        /// The last round failed, or a family is known to be down: everybody at once, so that a round lasts one timeout.
        case confirming
    }

    /// Whether it is more than a look at one server.
    var isThorough: Bool { asksHTTPS || depth != .routine }
}
