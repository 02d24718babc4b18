import HTTPTransfer
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore

/// What a speed test would meet at this moment.
struct SpeedTestSurroundings: Sendable, Equatable {
    /// Whether anybody has found out yet.
    var isKnown = false
    var isOnline = false
    var isExpensive = false
    var isConstrained = false
    var uplink = Uplink.none
    /// What the path's device carries without a test, bytes a second; nil where that is not known.
    var load: [Direction: Double]?

    init() {}

    init(_ state: HealthState?, load: [Direction: Double]? = nil) {
        guard let state else { return }
        isKnown = state.isOnline != nil
        isOnline = state.isOnline == true
        isExpensive = state.path.isExpensive
        isConstrained = state.path.isConstrained
        uplink = Uplink(state.path)?.name ?? Uplink.none
        self.load = load
    }

    func conditions(_ section: SpeedTestSection) -> SpeedTestConditions {
        var conditions = SpeedTestConditions()
        // What stays on this machine needs no network, and costs nothing.
        let leaves = !section.isLocal
        conditions.isOnline = isOnline || !leaves
        conditions.isExpensive = isExpensive && leaves
        conditions.isConstrained = isConstrained && leaves
        conditions.onExpensive = section.onExpensive
        conditions.onConstrained = section.onConstrained
        conditions.whenBusy = section.whenBusy
        return conditions
    }

    /// Whether the link carries more than that part of its measured speed, in either direction.
    func isBusy(speed: [Direction: Double], ratio: Double) -> Bool {
        guard let load else { return false }
        return load.contains { direction, load in
            speed[direction].map { $0 > 0 && load > $0 * ratio } ?? false
        }
    }
}

extension SpeedTestSection {
    /// No test leaves this machine.
    var isLocal: Bool { servers.allSatisfy(\.isThisHost) }
}

extension SpeedTestServer {
    /// Reached without leaving this machine.
    var isThisHost: Bool {
        guard let url = WebURL(url, schemes: WebURL.webSchemes) else { return false }
        return url.host == "localhost" || url.hostPort.address?.isLoopback == true
    }
}
