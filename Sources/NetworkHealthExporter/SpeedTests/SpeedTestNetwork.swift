import HTTPTransfer
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Statistics

/// The network of this moment, as far as it decides about a speed test.
struct SpeedTestNetwork: Sendable, Equatable {
    /// Whether the internet is known to be reachable or not.
    var isKnown = false
    var isOnline = false
    /// nil: unknown.
    var isExpensive: Bool? = false
    var isConstrained = false
    var uplink = Uplink.none
    /// The traffic of the path's device without a test; nil where that is not known.
    var load: [Direction: BitRate]?

    init() {}

    init(_ state: HealthState?, load: [Direction: BitRate]? = nil) {
        guard let state else { return }
        isKnown = state.isOnline != nil
        isOnline = state.isOnline == true
        isExpensive = state.path.knownExpensive
        isConstrained = state.path.isConstrained
        uplink = state.uplink?.name ?? Uplink.none
        self.load = load
    }

    func conditions(_ section: SpeedTestSection) -> SpeedTestConditions {
        var conditions = SpeedTestConditions()
        // A test that stays on this host needs no network and costs nothing.
        let leaves = !section.isLocal
        conditions.isOnline = isOnline || !leaves
        conditions.isExpensive = leaves ? isExpensive : false
        conditions.isConstrained = isConstrained && leaves
        conditions.onExpensive = section.onExpensive
        conditions.onConstrained = section.onConstrained
        conditions.whenBusy = section.whenBusy
        return conditions
    }

    /// Whether the link carries more than that share of its measured speed, in either direction.
    func isBusy(speed: [Direction: BitRate], ratio: Double) -> Bool {
        guard let load else { return false }
        return load.contains { direction, load in
            speed[direction].map { $0.bitsPerSecond > 0 && load.bitsPerSecond > $0.bitsPerSecond * ratio } ?? false
        }
    }
}

extension SpeedTestSection {
    /// No test leaves this host.
    var isLocal: Bool { servers.allSatisfy(\.isThisHost) }
}

extension SpeedTestServer {
    /// Whether its address says that a test does not leave this host; see `SpeedTestReport.isLocal` for the others.
    var isThisHost: Bool {
        guard let url = WebURL(url, schemes: WebURL.webSchemes) else { return false }
        return url.host == "localhost" || url.hostPort.address?.isLoopback == true
    }
}
