import FoundationEssentials
import Glibc
import Statistics

extension SpeedTestSchedule {
    /// The next time of the rhythm after a date, chance and windows left out.
    ///
    /// - Parameters:
    ///   - date: What the time comes after.
    ///   - grid: A time of the interval's grid.
    ///   - random: Where chance comes from.
    /// - Returns: nil where cron has no time in eight years.
    func nominal(after date: Date, grid: Date, using random: inout some RandomNumberGenerator) -> Date? {
        switch rhythm {
        case .memoryless(let mean, let min, let max):
            let gap = -log(1 - Double.random(in: 0..<1, using: &random)) * mean.seconds
            return date + Swift.max(Swift.min(gap, max.seconds), min.seconds)
        case .interval(let interval):
            let interval = max(interval.seconds, 1)
            return grid + ((date.timeIntervalSince(grid) / interval).rounded(.down) + 1) * interval
        case .cron(let cron):
            return cron.next(after: date)
        }
    }

    /// The date and some of the jitter, moved into the next window and there, again by chance, not to its very start.
    func placed(_ date: Date, using random: inout some RandomNumberGenerator) -> Date {
        let opening = opening(from: date)
        guard opening > date else { return date }
        let later = opening + delay(using: &random)
        return isOpen(at: later) ? later : opening
    }

    /// 0…`jitter`, in seconds.
    func delay(using random: inout some RandomNumberGenerator) -> TimeInterval {
        Double.random(in: 0...max(jitter.seconds, 0), using: &random)
    }

    /// Intervals and cron times get a delay; memoryless ones are chance already.
    var isDelayed: Bool {
        if case .memoryless = rhythm { false } else { true }
    }
}
