import Netlink
import Posix

/// Tells drift, a difference between the kernel's tables and what its events told, from a change under way.
///
/// The kernel shows some changes before it announces them, so a difference counts when it is still the same a moment
/// later, with nothing told in between.
struct DriftDetector {
    enum Verdict {
        case none
        /// There is a difference: look again after `confirmation`.
        case suspected
        /// It was the same difference twice.
        case drift
        /// There was one before, and now there is another: things are moving.
        case moving
    }

    /// How long a difference may last before it is drift.
    static let confirmation = Duration.milliseconds(200)

    /// The recorded part of a state: what events tell, without the answers to questions.
    private struct Records: Equatable {
        var links: [Int32: Link]
        var addresses: [RawState.AddressKey: Address]
        var routes: Set<Route>

        init(_ state: RawState) {
            links = state.links
            addresses = state.addresses
            routes = state.defaultRoutes
        }
    }

    private var suspect: (read: Records, told: Records)?

    /// Compares what was just read with what events had told.
    mutating func verdict(read: RawState, told: RawState) -> Verdict {
        let (read, told) = (Records(read), Records(told))
        guard read != told else {
            suspect = nil
            return .none
        }
        guard let before = suspect else {
            suspect = (read, told)
            return .suspected
        }
        suspect = nil
        return before == (read, told) ? .drift : .moving
    }
}
