import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import SpeedTestCore

/// A change that a person would speak of, as JSON.
struct TransitionDocument: Encodable {
    struct Side: Encodable {
        @Nullable var online: Bool?
        var status: String
        @Nullable var unsatisfiedReason: String?
        @Nullable var internetState: String?
        @Nullable var interfaceName: String?

        init(_ state: HealthState) {
            online = state.isOnline
            status = state.status.rawValue
            unsatisfiedReason = state.path.unsatisfiedReason?.rawValue
            internetState = state.internet?.state.rawValue
            interfaceName = state.path.interface?.name
        }
    }

    var at: Date
    var from: Side
    var to: Side

    init(from: HealthState, to: HealthState) {
        (at, self.from, self.to) = (to.timestamp, Side(from), Side(to))
    }

    var json: [UInt8] { JSONDocument.encode(self) }
}

/// How far a running test is, as JSON; its result has no `phase`.
struct ProgressDocument: Encodable {
    var phase: String
    var fraction: Double
    @Nullable var speedMbps: Double?

    init(_ progress: SpeedTestProgress) {
        phase = progress.phase.rawValue
        fraction = progress.fraction.toFiveDigits
        speedMbps = progress.bytesPerSecond.map { ($0 * 8 / 1e6).toFiveDigits }
    }

    var json: [UInt8] { JSONDocument.encode(self) }
}

extension HealthState {
    /// Whether the status or being online is another.
    func isTransition(from last: HealthState) -> Bool {
        status != last.status || isOnline != last.isOnline
    }
}
