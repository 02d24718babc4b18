import Glibc

/// When the next measurement is due: at random, so that no rhythm of the path hides from it.
struct NDT7MeasurementTimes {
    /// Since the handshake; the first is due at once.
    private(set) var next = Duration.zero

    /// Draws from an exponential distribution with a mean of 250 ms, clamped to 25…625 ms.
    mutating func advance(from time: Duration, using random: inout some RandomNumberGenerator) {
        let drawn = -0.25 * log(1 - Double.random(in: 0..<1, using: &random))
        next = time + .seconds(min(max(drawn, 0.025), 0.625))
    }
}
