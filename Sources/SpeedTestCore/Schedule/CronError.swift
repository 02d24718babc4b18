/// Why a cron expression is refused.
package struct CronError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `minute`, `hour`, `day of month`, `month` or `day of week`; nil when it is about the whole.
    package var field: String?
    /// What was found, and what was expected.
    package var message: String

    package var description: String { field.map { "\($0): \(message)" } ?? message }
}
