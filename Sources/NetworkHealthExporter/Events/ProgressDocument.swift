import SpeedTestCore
import Statistics

/// How far a running test is, as JSON; its result has no `phase`.
struct ProgressDocument: Encodable {
    var phase: String
    var fraction: Double
    @Nullable var speedMbps: Double?

    init(_ progress: SpeedTestProgress) {
        phase = progress.phase.rawValue
        fraction = progress.fraction.toFiveDigits
        speedMbps = progress.rate?.megabits.toFiveDigits
    }

    var json: [UInt8] { JSONDocument.encode(self) }
}
