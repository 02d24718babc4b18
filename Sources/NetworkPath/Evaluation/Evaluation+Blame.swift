import Netlink

extension Evaluation {
    /// An outage for want of a route is the link's, where the device that carried the path until now is down or gone:
    /// the kernel takes a link's routes with it.
    mutating func blameLink(of previous: Interface?, in state: RawState) {
        guard downCause == .route, let previous else { return }
        guard let link = state.links[Int32(clamping: previous.index)] else {
            downCause = .gone
            return
        }
        guard !link.isUsable else { return }
        downCause = link.downCause
    }
}
