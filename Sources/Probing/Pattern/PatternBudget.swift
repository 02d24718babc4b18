import CPCRE2
import Posix

/// The processor time that one match may take.
///
/// The limits of the library count backtracking from each place of the body, and do not bound the time. Between two
/// callouts is at most one run through the body, tens of microseconds for 64 KiB.
struct PatternBudget {
    private static let limit = Duration.milliseconds(4)
    /// Reading the clock of a thread is a system call.
    private static let calloutsPerReading = 32

    private var callouts = 0
    private var start: Duration?

    /// False when the time is up.
    mutating func check() -> Bool {
        callouts += 1
        guard callouts.isMultiple(of: Self.calloutsPerReading) else { return true }
        let now = ThreadClock.now
        guard let start else {
            start = now
            return true
        }
        return now - start < Self.limit
    }
}

/// Called by the library before each item of the pattern; anything but 0 ends the match.
let checkPatternBudget:
    @convention(c) (UnsafeMutablePointer<pcre2_callout_block_8>?, UnsafeMutableRawPointer?) -> Int32 = {
        _,
        budget in
        budget?.assumingMemoryBound(to: PatternBudget.self).pointee.check() == false ? PCRE2_ERROR_CALLOUT : 0
    }
