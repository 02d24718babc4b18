import NetworkHealth
import NetworkPath
import Probing
import Statistics

/// One part of the way to the internet and what is known of it; pure.
struct Station: Sendable, Equatable, Encodable {
    enum Name: String, CaseIterable, Encodable {
        case device, router, provider, internet, dns
    }

    enum State: String, CaseIterable, Encodable {
        case ok
        /// It works, with a high latency.
        case slow
        /// It works, and something else is wrong with it: `detail` says what.
        case impaired
        case failed
        /// Not known now, as behind a station that has failed.
        case unknown
        /// Not watched, or not there.
        case off
    }

    var name: Name
    var label: String
    var state: State
    @Nullable var latencySeconds: Double?
    @Nullable var detail: String?
    /// The state of the stretch that leads to it, where a fault is on it; null where none was located there.
    @Nullable var way: State?

    init(_ name: Name, _ label: String, _ state: State, _ latency: Duration? = nil, _ detail: String? = nil) {
        (self.name, self.label, self.state) = (name, label, state)
        _latencySeconds = Nullable(wrappedValue: latency?.seconds.toMicroseconds)
        _detail = Nullable(wrappedValue: detail)
    }
}

/// What the stations follow from.
struct ConnectionFacts: Sendable {
    /// nil before the first evaluation.
    var state: HealthState?
    /// The target that watches the router; nil: there is none.
    var router: TargetReport?
    var latency: NetworkLatency?
    /// Of names; nil: not known.
    var lookup: Duration?
    /// Whether the internet is probed.
    var probesInternet = true
    /// Whether these probes resolve a name.
    var probesNames = true
    /// nil where it is not watched.
    var provider: ProviderHop?
    /// The nearest first.
    var faults: [Fault] = []

    /// In the order of the way, with the faults where they are.
    var stations: [Station] {
        var stations = [device, routerStation, providerStation, internet, dns].compactMap(\.self)
        // The nearest one decides where two are at the same place.
        for fault in faults.reversed() {
            stations.mark(fault, in: path?.viewpoint ?? .host, isOnline: verdict?.isOnline ?? false)
        }
        return stations
    }

    /// The places at which nothing passes.
    private var ends: [FaultLocation] { faults.filter { $0.kind == .outage }.map(\.location) }

    private var path: Path? { state?.isSettling == false ? state?.path : nil }
    private var usablePath: Path? { path.flatMap { $0.status == .satisfied ? $0 : nil } }
    private var verdict: InternetVerdict? { usablePath == nil ? nil : state?.internet }
    private var cause: OutageCause? { verdict.flatMap(OutageCause.init) }

    private static let losing = "losing packets"

    /// Whether the router is known to answer; nil: not known.
    var routerAnswers: Bool? { path?.routersInUse.isEmpty == true ? nil : router?.statistics.isUp }

    private var device: Station {
        guard let state, let path else { return Station(.device, "no device", .unknown, nil, "starting") }
        let label = path.interface.map { "\($0.name) · \(StatusLine.name(ConnectionType($0.type)))" } ?? "no device"
        guard path.status == .satisfied else {
            let reason = path.unsatisfiedReason?.rawValue ?? state.status.rawValue
            return Station(.device, label, .failed, nil, reason.replacing("_", with: " "))
        }
        guard !path.isDegraded else {
            return Station(.device, label, .impaired, nil, "one of several routes carries no traffic")
        }
        return Station(.device, label, .ok)
    }

    private var routerStation: Station {
        guard let path = usablePath else { return Station(.router, "router", .unknown) }
        guard let label = path.routersInUse.first else {
            // Which router is below a tunnel may not be known.
            if path.interface?.isTunnel == true, !path.gateways.isEmpty { return Station(.router, "router", .unknown) }
            return Station(.router, "no router", .off, nil, "the connection has none")
        }
        let origin = path.viewpoint == .container ? "of the container's host" : nil
        let latency = router?.statistics.window.newest(30).median
        if cause == .gateway, !ends.contains(where: \.isBehindRouter) {
            return Station(.router, label, .failed, nil, "does not answer")
        }
        if routerAnswers == true {
            let loss = router.flatMap { router in
                let probes = router.statistics.lastProbes
                return probes.count >= 60 ? probes.lossRatio : nil
            }
            let impairments = Set<Impairment>(latency: latency, loss: loss)
            if impairments.contains(.loss) { return Station(.router, label, .impaired, latency, Self.losing) }
            return Station(.router, label, impairments.isEmpty ? .ok : .slow, latency, origin)
        }
        // Packets pass it, whether or not it answers pings.
        if verdict?.isOnline == true || cause == .dnsBroken || ends.contains(where: \.isBehindRouter) {
            let isSilent = routerAnswers == false || router?.statistics.inconclusive == .silent
            return Station(.router, label, .ok, nil, isSilent ? "does not answer pings" : origin)
        }
        if routerAnswers == false { return Station(.router, label, .failed, nil, "does not answer pings") }
        return Station(
            .router,
            label,
            router == nil ? .off : .unknown,
            nil,
            router == nil ? "not watched" : origin
        )
    }

    /// nil where the way behind the router is not watched.
    private var providerStation: Station? {
        guard let provider else { return nil }
        let label = provider.address.map { "\($0)" } ?? "provider"
        // Packets pass it, whether or not its routers answer.
        let isPassed = verdict?.isOnline == true || cause == .dnsBroken
        if isPassed || ends.contains(where: \.isBehindProvider) {
            return Station(.provider, label, .ok, provider.latency)
        }
        return Station(.provider, label, .unknown)
    }

    private var internet: Station {
        func station(_ state: Station.State, _ detail: String? = nil) -> Station {
            let isReached = [.ok, .slow, .impaired].contains(state)
            return Station(.internet, "Internet", state, isReached ? latency?.latency : nil, detail)
        }
        guard probesInternet else { return station(.off, "not probed") }
        guard let verdict else { return station(.unknown) }
        switch verdict.state {
        case .online:
            let impairments = Set<Impairment>(latency: latency?.latency, loss: latency?.lossRatio)
            if impairments.contains(.loss) { return station(.impaired, Self.losing) }
            return impairments.isEmpty ? station(.ok) : station(.slow, "high latency")
        case .degraded: return station(.impaired, StatusLine.impairment(verdict))
        case .tlsUntrusted:
            return station(verdict.isOnline ? .impaired : .failed, "certificates are not trusted")
        case .captivePortal: return station(.failed, "a login page answers in its place")
        case .dnsBroken: return station(.ok, "addresses answer")
        case .noInternet: return station(.failed, "no host answers")
        case .noPath, .unknown: return station(.unknown)
        }
    }

    private var dns: Station {
        let label = path?.dnsServers.first ?? "DNS"
        guard probesInternet, probesNames else { return Station(.dns, label, .off, nil, "not probed") }
        switch verdict?.state {
        case .dnsBroken?: return Station(.dns, label, .failed, nil, "names lead to no server")
        case .online?, .degraded?, .tlsUntrusted?:
            let isSlow = !Set<Impairment>(latency: lookup, loss: nil).isEmpty
            return Station(.dns, label, isSlow ? .slow : .ok, lookup, isSlow ? "slow answers" : nil)
        case .captivePortal?, .noInternet?, .noPath?, .unknown?, nil: return Station(.dns, label, .unknown)
        }
    }
}
