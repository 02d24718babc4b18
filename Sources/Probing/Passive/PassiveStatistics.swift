package import Statistics

/// What an observer has counted since it was made.
package struct PassiveStatistics: Sendable, Equatable {
    /// Round trips of live flows, as the kernel measures them; a flow counts once in each dump after an answer.
    package var rtt = DurationHistogram(bounds: rttBounds)
    package var dumps: UInt64 = 0
    /// Of the latest dump that saw answers.
    package var medianRTT: Duration?

    package init() {}

    /// In seconds: from a neighbouring host to a satellite with a queue.
    package static let rttBounds = [
        0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5,
    ]
}
