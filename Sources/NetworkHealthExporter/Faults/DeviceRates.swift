import NetworkHealth
import NetworkPath

/// What the path's device receives and sends: a value.
struct DeviceRates {
    private var uplink: Uplink?
    private var receiving = CarriedRate()
    private var sending = CarriedRate()
    /// In bits per second, over the last 10 s or more; nil: not known yet.
    private(set) var received: Double?
    private(set) var sent: Double?

    /// Takes the counters of the device that carries the path.
    ///
    /// - Parameters:
    ///   - counters: nil: not known.
    ///   - uplink: nil: there is none.
    ///   - now: on a monotonic clock.
    mutating func add(_ counters: DeviceCounters?, on uplink: Uplink?, at now: Duration) {
        if counters == nil || uplink != self.uplink { (received, sent) = (nil, nil) }
        self.uplink = uplink
        received = receiving.add(counters?.receivedBytes, on: uplink, at: now) ?? received
        sent = sending.add(counters?.transmittedBytes, on: uplink, at: now) ?? sent
    }
}
