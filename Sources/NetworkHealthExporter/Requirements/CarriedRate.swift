import NetworkHealth
import Statistics

/// The rate that a device receives or sends, over 10 s; pure.
struct CarriedRate {
    private static let width = Duration.seconds(10)

    private var start: (uplink: Uplink, bytes: UInt64, at: Duration)?

    /// Takes the device's counter.
    ///
    /// - Parameters:
    ///   - bytes: since the device exists, in one direction; nil if unknown.
    ///   - uplink: the device's uplink; nil without one.
    ///   - now: on a monotonic clock.
    /// - Returns: bits a second over the last 10 s or more; nil until 10 s have passed.
    mutating func add(_ bytes: UInt64?, on uplink: Uplink?, at now: Duration) -> Double? {
        guard let bytes, let uplink else {
            start = nil
            return nil
        }
        guard let start, start.uplink == uplink, start.bytes <= bytes else {
            self.start = (uplink, bytes, now)
            return nil
        }
        let time = now - start.at
        guard time >= Self.width else { return nil }
        self.start = (uplink, bytes, now)
        return Double(bytes - start.bytes) * 8 / time.seconds
    }
}
