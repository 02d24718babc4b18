import Glibc
import Netlink
import Posix

/// Decides for one device whether it is expensive or constrained, and names the source of that decision.
struct CostPolicy {
    let policy: PathPolicy
    let viewpoint: Path.Viewpoint
    /// Whether NetworkManager has not said yet what it knows.
    var awaitsNetworkManager = false

    /// A verdict and its source.
    struct Verdict: Equatable {
        var value: Bool
        var source: CostSource
    }

    /// What is known about the cost of one device.
    struct Subject {
        var name: String
        var type: Interface.InterfaceType = .unknown
        var isTether = false
        var metered: MeteredState = .unknown
        /// The addresses of the router and of the device are those of an iPhone's hotspot.
        var hasHotspotGateway = false
        /// Those to which traffic over it goes.
        var routers: [IPAddress] = []
        /// The name of its Wi-Fi network, where it is known.
        var ssid: String?
    }

    /// The first source that knows decides; a "no" that NetworkManager only guesses does not count.
    func expensive(_ subject: Subject) -> Verdict {
        if let value = policy.flags.expensive { return Verdict(value: value, source: .flag) }
        if let value = rule(subject.name)?.expensive { return Verdict(value: value, source: .rule) }
        if let value = uplink(subject)?.isExpensive { return Verdict(value: value, source: .rule) }
        if let value = policy.expensive { return Verdict(value: value, source: .config) }
        if let value = policy.fileVerdict { return Verdict(value: value, source: .file) }
        if let value = policy.host?.isExpensive { return Verdict(value: value, source: .host) }
        switch subject.metered {
        case .yes: return Verdict(value: true, source: .networkManagerYes)
        case .no: return Verdict(value: false, source: .networkManagerNo)
        case .guessYes: return Verdict(value: true, source: .networkManagerGuess)
        case .guessNo, .unknown: break
        }
        if subject.type == .cellular { return Verdict(value: true, source: .cellular) }
        if subject.isTether { return Verdict(value: true, source: .tether) }
        if subject.hasHotspotGateway { return Verdict(value: true, source: .gatewayGuess) }
        return awaitsNetworkManager ? Verdict(value: false, source: .unknown) : undecided
    }

    /// The decision of the user, here or on the host; there is no other source.
    func constrained(_ subject: Subject) -> Verdict {
        guard policy.flags.constrained == nil, let value = rule(subject.name)?.constrained else {
            return constrainedByDefault
        }
        return Verdict(value: value, source: .rule)
    }

    /// The verdict for a device without a rule.
    var constrainedByDefault: Verdict {
        if let value = policy.flags.constrained { return Verdict(value: value, source: .flag) }
        if policy.constrained { return Verdict(value: true, source: .config) }
        return policy.host?.isConstrained.map { Verdict(value: $0, source: .host) } ?? undecided
    }

    /// The verdict where no source knows.
    var undecided: Verdict { Verdict(value: false, source: viewpoint == .host ? .assumed : .unknown) }

    /// True if one of them is; nil without any.
    ///
    /// Of the verdicts that agree, the one with the most explicit source.
    static func any(_ verdicts: [Verdict]) -> Verdict? {
        let value = verdicts.contains(where: \.value)
        return verdicts.filter { $0.value == value }.min { $0.source.rank < $1.source.rank }
    }

    private func rule(_ name: String) -> PathPolicy.Rule? {
        policy.rules.first { fnmatch($0.interfaceGlob, name, 0) == 0 }
    }

    private func uplink(_ subject: Subject) -> PathPolicy.UplinkCost? {
        policy.uplinkCosts.first {
            $0.match.recognizes(subject.name, subject.type, routers: subject.routers, ssid: subject.ssid) == true
        }
    }
}

extension RawState {
    /// What is known about the cost of a device; `routers`: of a way over it, else those to which the path leads.
    func costSubject(_ interface: Interface, routers: [IPAddress]? = nil) -> CostPolicy.Subject {
        CostPolicy.Subject(
            name: interface.name,
            type: interface.type,
            isTether: interface.isTether,
            metered: metered(interface),
            hasHotspotGateway: hasHotspotGateway(interface),
            routers: routers ?? self.routers(interface),
            ssid: Int32(exactly: interface.index).flatMap { deviceFacts[$0]?.ssid }
        )
    }

    /// Those in use; where the kernel uses none of them, as below a tunnel, those of its default routes.
    private func routers(_ interface: Interface) -> [IPAddress] {
        func routers(_ hops: [RouteHop]) -> [IPAddress] {
            hops.filter { Int($0.interfaceIndex) == interface.index }.compactMap(\.gateway)
        }
        var hops = nextHops.values.flatMap(\.self)
        for case .route(let route) in lookups.values { hops += route.hops }
        let used = routers(hops)
        return used.isEmpty ? routers(defaultRoutes.flatMap(\.hops)) : used
    }

    /// NetworkManager's view of the cost of a device.
    func metered(_ interface: Interface) -> MeteredState {
        networkManager?.devices[interface.name]?.metered ?? .unknown
    }

    /// An iPhone's hotspot, which sends no hint of its cost: router 172.20.10.1 in a /28, over Wi-Fi or USB.
    private func hasHotspotGateway(_ interface: Interface) -> Bool {
        guard let index = Int32(exactly: interface.index) else { return false }
        let router: [UInt8] = [172, 20, 10, 1]
        return (interface.type == .wifi || deviceFacts[index]?.usbVendor != nil)
            && defaultRoutes.contains { route in
                route.hops.contains { $0.interfaceIndex == index && $0.gateway?.bytes == router }
            }
            && addresses.values.contains {
                $0.interfaceIndex == index && $0.prefixLength == 28 && $0.address.bytes.starts(with: router.prefix(3))
                    && ($0.address.bytes[3] & 0xf0) == 0
            }
    }
}
