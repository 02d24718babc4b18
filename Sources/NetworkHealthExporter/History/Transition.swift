import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import PrometheusExposition

/// What was known of the network from some time on.
struct Transition: HistoryRow {
    /// Seconds since 1970, in whole milliseconds: what is printed is what is kept.
    var at: Double
    /// nil before the first verdict about the internet.
    var online: Bool?
    var status: String
    var reason: String?
    var internet: String?
    var interface: String?
    var type: String
    var quality: String

    /// Whether it says anything else than the one before; the time alone is nothing.
    func differs(from last: Transition?) -> Bool {
        guard var last else { return true }
        last.at = at
        return self != last
    }
}

extension Transition {
    init(_ state: HealthState) {
        at = (state.timestamp.timeIntervalSince1970 * 1000).rounded() / 1000
        online = state.isOnline
        status = state.status.rawValue
        reason = state.path.unsatisfiedReason?.rawValue
        internet = state.internet?.state.rawValue
        interface = state.path.interface?.name
        type = state.connectionType.rawValue
        quality = state.quality.rawValue
    }
}

extension Transition {
    static let columns = ["at", "online", "status", "reason", "internet", "interface", "type", "quality"]

    private var time: String { RFC3339.text(at, milliseconds: true) }

    var fields: [String?] {
        [time, online.map { "\($0)" }, status, reason, internet, interface, type, quality]
    }

    var document: Document { Document(self) }

    /// The same as JSON; unknown is `null`.
    struct Document: Encodable, Sendable {
        var at: String
        @Nullable var online: Bool?
        var status: String
        @Nullable var reason: String?
        @Nullable var internet: String?
        @Nullable var interface: String?
        var type: String
        var quality: String

        init(_ row: Transition) {
            (at, status, type, quality) = (row.time, row.status, row.type, row.quality)
            online = row.online
            (reason, internet, interface) = (row.reason, row.internet, row.interface)
        }
    }

    var families: [MetricFamily] {
        ConnectivityMetrics.verdict(isOnline: online, isConnected: status == NetworkStatus.connected.rawValue)
    }
}
