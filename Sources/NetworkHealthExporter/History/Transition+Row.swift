import NetworkHealth
import PrometheusExposition

/// The one form of a transition outside of this process: the same names in the stream, the history and the log.
extension Transition: HistoryRow {
    static let columns = [
        "at", "online", "status", "unsatisfiedReason", "internetState", "interfaceName", "connectionType", "quality",
        "outageCause", "outageSeconds",
    ]

    private var time: String { RFC3339.text(at, milliseconds: true) }

    var fields: [String?] {
        [
            time, online.map { "\($0)" }, status, unsatisfiedReason, internetState, interfaceName, connectionType,
            quality, outageCause, outageSeconds.map { "\($0)" },
        ]
    }

    /// The fields that are known, but for the time.
    var known: [(name: String, value: String)] {
        zip(Self.columns, fields).dropFirst().compactMap { name, value in value.map { (name, $0) } }
    }

    var document: Document { Document(self) }

    /// Unknown is `null`.
    struct Document: Encodable, Sendable {
        var at: String
        @Nullable var online: Bool?
        var status: String
        @Nullable var unsatisfiedReason: String?
        @Nullable var internetState: String?
        @Nullable var interfaceName: String?
        var connectionType: String
        var quality: String
        @Nullable var outageCause: String?
        @Nullable var outageSeconds: Double?

        init(_ transition: Transition) {
            at = transition.time
            online = transition.online
            status = transition.status
            unsatisfiedReason = transition.unsatisfiedReason
            internetState = transition.internetState
            interfaceName = transition.interfaceName
            connectionType = transition.connectionType
            quality = transition.quality
            outageCause = transition.outageCause
            outageSeconds = transition.outageSeconds
        }

        var json: [UInt8] { JSONDocument.encode(self) }
    }

    var families: [MetricFamily] {
        ConnectivityMetrics.verdict(isOnline: online, isConnected: status == NetworkStatus.connected.rawValue)
    }
}
