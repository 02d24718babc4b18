/// The path that a state of the network amounts to, and what the debouncer and the timers need to know about it.
package struct Evaluation: Sendable, Equatable {
    package var path: Path
    /// What took the path away; nil while it is satisfied.
    package var downCause: DownCause?
    /// Indices of the links that are switched on and yet cannot carry traffic, whoever uses them.
    package var withoutCarrier: Set<Int> = []
    /// The next hops of the multipath routes in use; empty without one.
    package var legs: [Leg] = []
    /// When the answer changes by the passing of time alone.
    package var reevaluateAt: SuspendingClock.Instant?

    package init(path: Path, downCause: DownCause? = nil) {
        self.path = path
        self.downCause = downCause
    }

    /// One next hop of a multipath route.
    package struct Leg: Sendable, Equatable {
        /// Name of the device; nil where it is not recorded.
        package var interfaceName: String?
        package var gateway: String?
        /// Whether it can carry traffic; the kernel sends flows there all the same.
        package var isUsable: Bool
    }
}
