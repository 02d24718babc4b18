/// What a scheduled test does while others use the link.
package enum BusyRule: String, Sendable, CaseIterable {
    /// Looks again every minute.
    case `defer`
    case skip
    case run
}
