import Posix

extension Evaluation {
    /// An outage for want of a route is the link's, where the device that carried the last path is down or gone: the
    /// kernel, or the network manager, takes a link's routes with it.
    mutating func blameLink(of carrier: Interface?, in state: RawState) {
        guard downCause == .route, let carrier else { return }
        if let link = state.links[Int32(clamping: carrier.index)] {
            guard !link.isUsable else { return }
            downCause = link.downCause
        } else {
            downCause = .gone
        }
        if path.unsatisfiedReason == .noRoute { path.unsatisfiedReason = .linkDown }
    }
}
