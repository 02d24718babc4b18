import Netlink
import Posix

/// Why no family can carry traffic, and the status of the path that follows.
struct Outage {
    /// How long a link without an address counts as connecting.
    private static let youth = Duration.seconds(15)
    /// How long after a start a path that is connecting is no outage yet.
    static let startGrace = Duration.seconds(2)

    var status: Path.Status
    var reason: Path.UnsatisfiedReason
    var cause: DownCause
    /// When the result changes by the passing of time.
    var endsAt: SuspendingClock.Instant?
    /// Whether it is too early after the start to count it.
    var isSettling = false

    /// From the verdicts in order of priority, IPv4 first.
    init(_ verdicts: [FamilyVerdict], in state: RawState, now: SuspendingClock.Instant) {
        self.init(.noRoute, .route)
        for verdict in verdicts {
            switch verdict.outcome {
            case .linkDown(let cause): self = Outage(.linkDown, cause)
            case .tunnelDown(let cause): self = Outage(.vpnInactive, cause)
            case .carries, .denied, .noSource, .noRoute: continue
            }
            return
        }
        if verdicts.contains(where: { $0.outcome == .denied }) {
            self = Outage(.policyDenied, .route)
        } else if state.networkManager?.isOff == true {
            self = Outage(.disabled, .route)
        } else if let end = Self.youthEnds(in: state, now: now) {
            self = Outage(.connecting, .route, status: .requiresConnection)
            endsAt = end
        } else if Self.isConnecting(state) {
            self = Outage(.connecting, .route, status: .requiresConnection)
        } else if state.networkManager?.hasIdleModem == true {
            self = Outage(.cellularInactive, .route, status: .requiresConnection)
        } else if let kind = Self.onlyBlockedRadio(in: state) {
            self = Outage(kind == .wifi ? .wifiDenied : .cellularDenied, .route)
        }
    }

    /// Waits for a path that is connecting until `end`, shortly after the start.
    ///
    /// A network that was made just before, such as a pod's, has links that have a carrier and are not running yet.
    mutating func settle(by end: SuspendingClock.Instant?, in state: RawState, now: SuspendingClock.Instant) {
        guard let end, now < end else { return }
        if [.linkDown, .vpnInactive, .noRoute].contains(reason),
            state.relevantLinks.contains(where: { state.links[$0]?.isAwaitingRunning == true })
        {
            (status, reason) = (.requiresConnection, .connecting)
        }
        guard reason == .connecting else { return }
        isSettling = true
        endsAt = min(endsAt ?? end, end)
    }

    /// Puts an outage for want of a route down to the link, where a device that carried the last path is down or gone:
    /// the kernel, or the network manager, removes a link's routes with it.
    ///
    /// - Parameters:
    ///   - carriers: the devices of the last path, what carries a tunnel before it.
    ///   - state: the facts.
    mutating func attribute(toLinkOf carriers: [Interface], in state: RawState) {
        guard cause == .route else { return }
        for carrier in carriers {
            let link = state.links[Int32(clamping: carrier.index)]
            // A rule that blocks what does not pass a tunnel is that of this host.
            guard link?.isUsable != true, !(carrier.isTunnel && reason == .policyDenied) else { continue }
            cause = link?.downCause ?? .gone
            if reason == .noRoute || reason == .vpnInactive { reason = carrier.isTunnel ? .vpnInactive : .linkDown }
            return
        }
    }

    /// The kind of radio that is switched off, where nothing else could carry a path: no other radio, and no cable in.
    private static func onlyBlockedRadio(in state: RawState) -> Radio.Kind? {
        guard let first = state.radios.first, state.radios.allSatisfy(\.isBlocked) else { return nil }
        let isWired = state.links.values.contains { link in
            guard link.isUsable, !link.isLoopback else { return false }
            // sysfs is not read for a link without a route; hardware that is up while the radios are off is a cable.
            let type = state.interfaceClass(of: link).type
            return type == .wiredEthernet || type == .unknown && link.hardwareType == 1 && link.kind == nil
        }
        guard !isWired else { return nil }
        return state.radios.contains { $0.kind == .wifi } ? .wifi : first.kind
    }

    private init(
        _ reason: Path.UnsatisfiedReason,
        _ cause: DownCause,
        status: Path.Status = .unsatisfied
    ) {
        self.status = status
        self.reason = reason
        self.cause = cause
    }

    private static func isConnecting(_ state: RawState) -> Bool {
        state.networkManager?.isConnecting == true
            || state.links.values.contains { $0.isUp && $0.isDormant && !$0.isLoopback }
    }

    /// When the last of the links that came up recently and have no address yet stops counting as connecting.
    ///
    /// Ports of a bridge or bond never get one, nor do tunnels by themselves.
    private static func youthEnds(in state: RawState, now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        state.usableSince.compactMap { index, since in
            guard let link = state.links[index], link.masterIndex == nil, !state.interfaceClass(of: link).isTunnel,
                !state.hasUsableAddress(on: index)
            else { return nil }
            return since.advanced(by: youth)
        }
        .filter { $0 > now }
        .max()
    }
}

extension NetworkManagerFacts {
    /// Asleep (NM_STATE_ASLEEP), or switched off by the user.
    fileprivate var isOff: Bool { state == 10 || !isNetworkingEnabled }

    /// NM_STATE_CONNECTING, or a device that connects (NM_DEVICE_STATE_PREPARE to SECONDARIES).
    fileprivate var isConnecting: Bool { state == 40 || devices.values.contains { (40...90).contains($0.state) } }

    /// A modem that could connect and does not (NM_DEVICE_STATE_DISCONNECTED).
    fileprivate var hasIdleModem: Bool {
        devices.values.contains { $0.type == InterfaceClassifier.DeviceType.modem && $0.state == 30 }
    }
}
