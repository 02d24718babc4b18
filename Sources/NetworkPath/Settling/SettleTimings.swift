/// How long changes are watched before they are published.
package struct SettleTimings: Sendable, Equatable {
    /// Silence of the kernel that ends a burst of events.
    package var quiet: Duration = .milliseconds(50)
    /// A burst is evaluated after this time even if it goes on.
    package var max: Duration = .milliseconds(250)
    /// A lost carrier must stay lost for this long.
    package var downHold: Duration = .seconds(1)
    /// A recovery must last for this long.
    package var upHold: Duration = .milliseconds(300)

    package init() {}
}
