import SpeedTestCore

/// The line on a terminal that tells where a running test is.
struct ProgressDisplay: Sendable {
    let isShown: Bool

    func show(_ progress: SpeedTestProgress) {
        guard isShown else { return }
        // To the line's start, and what was there away.
        StandardError.write("\r\u{1b}[2K\(Self.line(progress))")
    }

    func clear() {
        if isShown { StandardError.write("\r\u{1b}[2K") }
    }

    /// For example `Download  [########--------]  94.31 Mbit/s`.
    static func line(_ progress: SpeedTestProgress) -> String {
        let name =
            switch progress.phase {
            case .connecting: "Connecting"
            case .latency: "Latency"
            case .download: "Download"
            case .upload: "Upload"
            }
        let fraction = progress.fraction.isFinite ? min(1, max(0, progress.fraction)) : 0
        let done = Int(fraction * Double(barWidth))
        let bar = String(repeating: "#", count: done) + String(repeating: "-", count: barWidth - done)
        let rate = progress.bytesPerSecond.map { "  \(SpeedTestText.rate($0))" } ?? ""
        return name + String(repeating: " ", count: 12 - name.count) + "[\(bar)]\(rate)"
    }

    private static let barWidth = 32
}
