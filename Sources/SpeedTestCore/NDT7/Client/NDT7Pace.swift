/// The times of a measurement; tests have shorter ones.
package struct NDT7Pace: Sendable {
    /// For connecting, TLS and the WebSocket's handshake.
    package var handshake = Duration.seconds(7)
    /// Without a byte moved.
    package var silence = Duration.seconds(7)
    /// How long the rate may grow before the window begins.
    package var warmUp = Duration.milliseconds(1500)...Duration.seconds(4)
    /// Two of these in a row that differ by less than a tenth end the warm-up.
    package var bin = Duration.milliseconds(500)
    /// What the stop rule compares.
    package var interval = Duration.seconds(1)
    /// The shortest window that counts where the byte limit ended it.
    package var shortestCapped = Duration.seconds(1)
    /// The shortest where the other side did, unless the options ask for less.
    package var shortestCut = Duration.seconds(3)
    /// Between two looks at the kernel's counters.
    package var sample = Duration.milliseconds(100)
    /// Between two handshakes of the idle latency, give or take a fifth.
    package var pause = Duration.milliseconds(100)

    package init() {}
}
