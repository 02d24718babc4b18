import FoundationEssentials
import Posix

/// Reads a cron expression, for the fuzzer; a time that does not follow, or one that was skipped, traps.
///
/// - Returns: whether it was accepted.
package func fuzzCron(_ bytes: [UInt8]) -> Bool {
    guard let cron = try? CronExpression(String(decoding: bytes, as: UTF8.self)) else { return false }
    precondition((try? CronExpression(cron.description)) == cron)
    for start in cronStarts {
        guard let next = cron.next(after: Date(secondsSince1970: start))?.secondsSince1970 else { continue }
        precondition(next > start)
        // No other time is between them.
        for between in [start + (next - start) / 2, next - 1] {
            precondition(cron.next(after: Date(secondsSince1970: between))?.secondsSince1970 == next)
        }
    }
    // It walks over 28 years.
    if bytes.count.isMultiple(of: 32) { precondition(cron.gaps.lowerBound > 0) }
    return true
}

/// An hour before Central European clocks change in 2026, in both directions, and the last minute of February 2027.
private let cronStarts = [1_774_742_400, 1_792_886_400, 1_803_855_599]
