import NetworkHealth
import Statistics

/// What a device receives over 10 s; pure.
struct CarriedRate {
    private static let width = Duration.seconds(10)

    private var start: (uplink: Uplink, bytes: UInt64, at: Duration)?

    /// Takes the device's counter in.
    ///
    /// - Parameters:
    ///   - bytes: received since the device is there; nil where nobody knows.
    ///   - uplink: whose device it is; nil without one.
    ///   - now: on a clock that is never set.
    /// - Returns: bits a second over the last 10 s or more; nil until they are over.
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
