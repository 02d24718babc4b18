package import Posix
package import Statistics

/// What is known about the routers on the way to the internet over one family; a value, made by the hop probes.
package struct HopReport: Sendable, Equatable {
    package let family: AddressFamily
    /// By distance, the first one is this host's router; a hop that has never answered has no address.
    package var hops: [Hop] = []
    /// The distance of the probes' destination, which is the last hop then; nil: it has not answered on this path.
    package var end: Int?
    /// The last errors of routers to probes of any kind, oldest first, at most 16.
    package var refusals: [Refusal] = []

    package init(family: AddressFamily) {
        self.family = family
    }

    /// A router on the way.
    package struct Hop: Sendable, Equatable {
        /// From 1.
        package let distance: Int
        /// Those that have answered on this path, the latest last, at most 4: several equal paths, or a change.
        package var addresses: [IPAddress] = []
        /// The last 600 probes: the round trip, or nil for one without an answer.
        package var window = OutcomeWindow(capacity: 600)
        /// The smallest round trip on this path; nil before the first answer.
        package var minimum: Duration?
        package var probes: UInt64 = 0
        package var replies: UInt64 = 0
        package var lastProbeAt: ContinuousClock.Instant?
        package var lastReplyAt: ContinuousClock.Instant?

        package init(distance: Int) {
            self.distance = distance
        }
    }
}
