import Testing

@testable import NetworkPath

/// One thing that happens to the settler, in milliseconds since the start.
enum Step: Sendable, CustomStringConvertible {
    /// The network became this, and the kernel said so.
    case event(Int, Scene)
    /// This must be published exactly then, with evidence from then.
    case publish(Int, Scene, evidence: Int)

    var description: String {
        switch self {
        case .event(let time, let scene): "\(time) ms \(scene)"
        case .publish(let time, let scene, let evidence): "\(time) ms publishes \(scene) of \(evidence) ms"
        }
    }
}

/// A situation that the evaluator could have found.
enum Scene: String, Sendable, CaseIterable {
    /// Satisfied over eth0, over wlan0, and over eth0 with another router.
    case online, wifi, otherRouter
    /// eth0 without a carrier; also without its routes; switched off; deleted.
    case unplugged, flushed, switchedOff, deleted
    /// wlan0 is named, without a carrier.
    case wifiUnplugged
    /// No route; a connection in the making.
    case noRoute, connecting

    /// The resolver distinguishes situations whose paths would be equal.
    var evaluation: PathEvaluation {
        var evaluation = bare
        evaluation.path.dnsServers = [rawValue]
        return evaluation
    }

    private var bare: PathEvaluation {
        switch self {
        case .online: satisfied(over: Self.eth0, "192.0.2.1")
        case .otherRouter: satisfied(over: Self.eth0, "192.0.2.2")
        case .wifi: satisfied(over: Self.wlan0, "192.0.2.1")
        case .unplugged: lost(.linkDown, .carrier, Self.eth0)
        case .flushed: lost(.noRoute, .route, nil, withoutCarrier: [2])
        case .wifiUnplugged: lost(.linkDown, .carrier, Self.wlan0)
        case .switchedOff: lost(.linkDown, .administrative, Self.eth0)
        case .deleted: lost(.noRoute, .gone, nil)
        case .noRoute: lost(.noRoute, .route, nil)
        case .connecting: lost(.connecting, .route, nil, .requiresConnection)
        }
    }

    var isSatisfied: Bool { evaluation.path.status == .satisfied }

    private static let eth0 = Interface(name: "eth0", index: 2, type: .wiredEthernet)
    private static let wlan0 = Interface(name: "wlan0", index: 3, type: .wifi)

    private func satisfied(over interface: Interface, _ gateway: String) -> PathEvaluation {
        var path = Path(status: .satisfied)
        path.interface = interface
        path.gateways = [gateway]
        return PathEvaluation(path: path)
    }

    private func lost(
        _ reason: Path.UnsatisfiedReason,
        _ cause: DownCause,
        _ interface: Interface?,
        _ status: Path.Status = .unsatisfied,
        withoutCarrier: Set<Int> = []
    ) -> PathEvaluation {
        var path = Path(status: status, unsatisfiedReason: reason)
        path.interface = interface
        var evaluation = PathEvaluation(path: path, downCause: cause)
        evaluation.withoutCarrier = withoutCarrier
        return evaluation
    }
}
