import NetworkHealth

extension LineModel {
    /// What is broken; nil: nothing.
    struct Breakage {
        enum Kind: CaseIterable { case dead, smallLoss, largeLoss, queue }

        var place: FaultLocation
        var kind: Kind
    }

    /// What makes it harder to see.
    enum Confounder: CaseIterable {
        case none, pinglessRouter, hiddenHop, limitingHop, slowHop, slowRouter, secondRouter, privateSecondRouter
        case sharedAddresses, privateProvider, tunnel, otherFamily, busyHost, ownTraffic, someTraffic, rejectingFirewall
        case passingError, deadNameServer
    }
}
