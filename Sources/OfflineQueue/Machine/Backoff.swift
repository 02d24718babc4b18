/// How long a request waits after a failed try: exponential, with full jitter, so that many clients do not return at once.
enum Backoff {
    private static let first: Duration = .milliseconds(500)
    static let longest: Duration = .seconds(300)
    /// No server keeps a request for longer.
    private static let longestRetryAfter: Duration = .seconds(365 * 86_400)

    /// The upper bound of the wait after so many failures in a row before this one: 0.5 s × 2ⁿ.
    static func bound(after failures: Int) -> Duration {
        // 2¹⁰ × 0.5 s is above the maximum.
        min(longest, first * (1 << min(max(failures, 0), 10)))
    }

    /// The wait: this share of the bound, 0 to 1 at random, and no shorter than what the server asked for.
    static func delay(after failures: Int, retryAfter: Duration?, jitter: Double) -> Duration {
        max(bound(after: failures) * jitter, min(retryAfter ?? .zero, longestRetryAfter))
    }
}
