/// Whether a window is long enough to stand for the path.
enum WindowRule {
    /// - Parameters:
    ///   - window: what was measured.
    ///   - ending: why it ended.
    ///   - shortest: what was asked for at least.
    ///   - roundTrip: of the unloaded path.
    /// - Returns: two seconds are, or what was asked for; one is where the byte limit ended it. On a link so fast that
    ///   the limit is used up in less, 20 round trips are: each connection has found its rate by then.
    static func isUsable(
        _ window: Duration,
        ending: LoadPlan.Ending,
        shortest: Duration,
        roundTrip: Duration?
    ) -> Bool {
        switch ending {
        case .stalled: false
        case .measured: window >= min(.seconds(2), shortest)
        case .dataCap: window >= shortestCapped(roundTrip: roundTrip)
        }
    }

    /// The shortest window that counts where the byte limit ended it.
    static func shortestCapped(roundTrip: Duration?) -> Duration {
        min(.seconds(1), max(.milliseconds(20), (roundTrip ?? .seconds(1)) * 20))
    }
}

extension WindowRule {
    /// Bytes a second below which a line is taken for broken: a few segments.
    static let leastRate = 1000.0
}
