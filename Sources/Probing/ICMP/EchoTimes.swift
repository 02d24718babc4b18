/// When a request left and its reply came, on the clocks that tell it.
struct EchoTimes: Sendable, Equatable {
    /// Before the system call, on our own clock and on the kernel's stamps' clock.
    var sentAt: ContinuousClock.Instant
    var sentWallTime: Duration
    /// The kernel's stamp as the packet went to the driver; nil: none came.
    var departure: Duration?

    /// The round trip; the stamps' clock may have been set meanwhile, so what it says must fit our own.
    ///
    /// - Parameters:
    ///   - arrival: the kernel's stamp of the reply; nil: none came.
    ///   - readAt: when we had the reply in hands, and so an upper bound.
    /// - Returns: never less than nothing.
    func roundTrip(arrival: Duration?, readAt: ContinuousClock.Instant) -> Duration {
        let bound = max(.zero, readAt - sentAt)
        guard let arrival else { return bound }
        let possible = Duration.zero...bound
        if let departure, departure >= sentWallTime, possible.contains(arrival - departure) {
            return arrival - departure
        }
        return possible.contains(arrival - sentWallTime) ? arrival - sentWallTime : bound
    }
}
