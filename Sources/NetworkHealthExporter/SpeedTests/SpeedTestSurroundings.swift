import NetworkHealth
import NetworkPath
import SpeedTestCore

/// What a speed test would meet at this moment.
struct SpeedTestSurroundings: Sendable, Equatable {
    var isOnline = false
    var isExpensive = false
    var isConstrained = false
    var uplink = Uplink.none
    /// What the path's device carries without a test, bytes a second; nil where that is not known.
    var load: Double?

    init() {}

    init(_ state: HealthState?, load: Double? = nil) {
        guard let state else { return }
        isOnline = state.isOnline == true
        isExpensive = state.path.isExpensive
        isConstrained = state.path.isConstrained
        uplink = Uplink(state.path)?.name ?? Uplink.none
        self.load = load
    }

    func conditions(_ section: SpeedTestSection) -> SpeedTestConditions {
        var conditions = SpeedTestConditions()
        // What stays on this machine needs no network, and costs nothing.
        let leaves = !section.servers.allSatisfy(\.isThisHost)
        conditions.isOnline = isOnline || !leaves
        conditions.isExpensive = isExpensive && leaves
        conditions.isConstrained = isConstrained && leaves
        conditions.onExpensive = section.onExpensive
        conditions.onConstrained = section.onConstrained
        conditions.whenBusy = section.whenBusy
        return conditions
    }

    /// Whether the link carries more than that part of its measured speed.
    func isBusy(speed: Double?, ratio: Double) -> Bool {
        guard let load, let speed, speed > 0 else { return false }
        return load > speed * ratio
    }
}

extension SpeedTestServer {
    /// Reached without leaving this machine.
    var isThisHost: Bool {
        guard let host = AbsoluteURL(url)?.host else { return false }
        return host.host == "localhost" || host.address?.isLoopback == true
    }
}
