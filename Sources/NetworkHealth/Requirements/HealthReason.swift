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
