import NetworkPath
import Probing

/// Why a requirement is not met; the raw values are the words of `/health`, in the order in which it lists them.
package enum HealthReason: String, Sendable, CaseIterable, Comparable {
    case starting
    case offline
    case noInternet = "no_internet"
    case dnsBroken = "dns_broken"
    case captivePortal = "captive_portal"
    case tlsUntrusted = "tls_untrusted"
    /// It is not known whether the uplink that the requirement is about works.
    case uplinkUnknown = "uplink_unknown"
    case qualityBelow = "quality_below"
    case throughputBelow = "throughput_below"
    case uploadBelow = "upload_below"
    case latencyAbove = "latency_above"
    case jitterAbove = "jitter_above"
    case lossAbove = "loss_above"
    case expensive
    case costUnknown = "cost_unknown"
    case constrained
    case targetDown = "target_down"
    case staleMeasurement = "stale_measurement"
    case unmeasured
    case uncertain

    /// Why the network of `state` is not usable; nil when it is.
    package init?(_ state: HealthState?) {
        guard let state else {
            self = .starting
            return
        }
        switch (state.isOnline, state.status.isConnected, state.internet?.state) {
        case (true?, _, _): return nil
        case (nil, _, _): self = .starting
        case (false?, false, _): self = .offline
        case (false?, true, .captivePortal?): self = .captivePortal
        case (false?, true, .tlsUntrusted?): self = .tlsUntrusted
        case (false?, true, .dnsBroken?): self = .dnsBroken
        case (false?, true, _): self = .noInternet
        }
    }

    /// Whether it compares a measured value, which may flap around its limit.
    package var isAboutValues: Bool {
        switch self {
        case .qualityBelow, .throughputBelow, .uploadBelow, .latencyAbove, .jitterAbove, .lossAbove: true
        default: false
        }
    }

    /// Whether a speed test could change it.
    package var isMissingMeasurement: Bool { [.staleMeasurement, .unmeasured, .uncertain].contains(self) }

    package static func < (left: HealthReason, right: HealthReason) -> Bool {
        guard let first = allCases.firstIndex(of: left), let second = allCases.firstIndex(of: right) else {
            return false
        }
        return first < second
    }
}

extension HealthReason {
    /// What the user can do, in a sentence.
    ///
    /// - Parameter connection: the type of the connection: over Wi-Fi or a cable, to connect to WiFi is no advice.
    /// - Returns: the sentence, without a full stop at its end.
    package func recommendation(on connection: ConnectionType) -> String {
        switch self {
        case .starting: "The evaluation of this network is not complete yet. Try again in a second"
        case .offline: "No network connection. Please check your internet"
        case .noInternet: "Connected, but no host on the internet answers. Check the router and the provider"
        case .dnsBroken: "Connected, but names lead to no server. Check the DNS servers of this network"
        case .captivePortal: "This network requires a login. Open any page in a browser and sign in"
        case .tlsUntrusted:
            "Connected, but certificates are not trusted. Check the clock, the CA certificates and any proxy that inspects TLS"
        case .uplinkUnknown: "It is not known whether this uplink works"
        case .qualityBelow where [.wifi, .ethernet].contains(connection),
            .throughputBelow where [.wifi, .ethernet].contains(connection):
            "Network is too slow for this operation"
        case .qualityBelow, .throughputBelow: "Network is too slow. Try connecting to WiFi"
        case .uploadBelow: "Upload is too slow. Try again later, or on another network"
        case .latencyAbove: "Latency is too high. Try again when the network is less busy"
        case .jitterAbove: "Latency varies too much. Use a cable, or move closer to the access point"
        case .lossAbove: "Too many packets are lost. Check the cable or the radio signal"
        case .expensive: "This connection is metered. Wait for one that is not"
        case .costUnknown:
            "The cost of this connection is unknown here. Set --path.expensive, or --host.url to ask the exporter of the host"
        case .constrained: "Data saving is on for this network. Wait for another, or turn it off"
        case .targetDown: "A required target is down, or has no result yet. Check the target, and the route to it"
        case .staleMeasurement, .unmeasured, .uncertain: "\(gap). \(SpeedTestAccess.unknown.step(for: self))"
        }
    }

    /// What a measurement lacks.
    var gap: String {
        self == .uncertain
            ? "The last speed test is not precise enough to decide" : "No recent speed measurement for this connection"
    }

    /// The recommendation of `unmeasured` where the last test has a lower bound only.
    package static let limited = "\(gapOfLimit). \(SpeedTestAccess.open.step(for: .unmeasured, isLimited: true))"

    static let gapOfLimit = "The processor of this machine limited the speed test"

    /// The recommendation of `starting` where checks of the internet fail before they leave this machine.
    package static let hindered =
        "A limit of this machine, such as that of threads or of processor time, prevents the checks of the internet"

    /// The recommendation of `starting` where the exporter of the host says that it does not know the state of the internet.
    package static let unknownToHost =
        "The exporter of the host does not know whether the internet can be reached. Its page and its log name the reason"

    /// The recommendation of a requirement that is met.
    package static let sufficient = "Network quality is sufficient for this operation"
}
