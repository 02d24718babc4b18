import NetworkPath
import Probing

/// Why a requirement does not hold; the raw values are the words of `/health`, in the order in which they are told.
package enum HealthReason: String, Sendable, CaseIterable, Comparable {
    case starting
    case offline
    case noInternet = "no_internet"
    case dnsBroken = "dns_broken"
    case captivePortal = "captive_portal"
    case qualityBelow = "quality_below"
    case throughputBelow = "throughput_below"
    case uploadBelow = "upload_below"
    case latencyAbove = "latency_above"
    case jitterAbove = "jitter_above"
    case lossAbove = "loss_above"
    case expensive
    case constrained
    case targetDown = "target_down"
    case staleMeasurement = "stale_measurement"
    case unmeasured

    /// Why the network of `state` is not usable at all; nil when it is.
    package init?(_ state: HealthState?) {
        guard let state else {
            self = .starting
            return
        }
        switch (state.isOnline, state.status.isConnected, state.internet?.state) {
        case (true?, _, _): return nil
        case (_, false, _): self = .offline
        case (nil, true, _): self = .starting
        case (false?, true, .captive?): self = .captivePortal
        case (false?, true, .dnsBroken?): self = .dnsBroken
        case (false?, true, _): self = .noInternet
        }
    }

    /// Whether it is about a measured value, which may stand at its threshold and flap.
    package var isAboutValues: Bool {
        switch self {
        case .qualityBelow, .throughputBelow, .uploadBelow, .latencyAbove, .jitterAbove, .lossAbove: true
        default: false
        }
    }

    package static func < (left: HealthReason, right: HealthReason) -> Bool {
        guard let first = allCases.firstIndex(of: left), let second = allCases.firstIndex(of: right) else {
            return false
        }
        return first < second
    }
}

extension HealthReason {
    /// What to do about it, in a sentence for people.
    package var recommendation: String {
        switch self {
        case .starting: "The evaluation of this network is not complete yet. Try again in a second"
        case .offline: "No network connection. Please check your internet"
        case .noInternet: "Connected, but nothing beyond this network answers. Check the router and the provider"
        case .dnsBroken: "Connected, but names do not resolve. Check the DNS servers of this network"
        case .captivePortal: "This network wants a login first. Open any page in a browser and sign in"
        case .qualityBelow, .throughputBelow: "Network is too slow. Try connecting to WiFi"
        case .uploadBelow: "Upload is too slow. Try again later, or on another network"
        case .latencyAbove: "Answers take too long. Try again when the network is less busy"
        case .jitterAbove: "Delays vary too much. Try a cable, or come closer to the access point"
        case .lossAbove: "Too many packets are lost. Check the cable or the radio signal"
        case .expensive: "This connection costs money by use. Wait for one that does not"
        case .constrained: "Data saving is on for this network. Wait for another, or turn it off"
        case .targetDown: "A service that this needs is not reachable. Check it, and the way to it"
        case .staleMeasurement: "The last speed test is too old. Run a new one"
        case .unmeasured: "The speed of this network was not measured yet. Run a speed test"
        }
    }

    /// The recommendation where nothing stands in the way.
    package static let sufficient = "Network quality is sufficient for this operation"
}
