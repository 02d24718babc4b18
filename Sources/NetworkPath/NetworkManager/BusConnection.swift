import CSystemd

/// A connection to a message bus (libsystemd's sd-bus), driven by a `poll` loop; no call of it blocks.
///
/// It registers no callbacks: whatever arrives comes out of `next()`, replies by the cookie of their call.
struct BusConnection: ~Copyable {
    private let bus: OpaquePointer

    /// Starts connecting; nil when there is no bus at the address.
    ///
    /// Without an address it is the system bus, or the one of `DBUS_SYSTEM_BUS_ADDRESS`. The handshake follows in `next()`.
    init?(address: String?) {
        var opened: OpaquePointer?
        let code: Int32
        if let address {
            sd_bus_new(&opened)
            sd_bus_set_bus_client(opened, 1)
            code = sd_bus_set_address(opened, address) < 0 ? -1 : sd_bus_start(opened)
        } else {
            code = sd_bus_open_system(&opened)
        }
        guard code >= 0, let opened else {
            sd_bus_unref(opened)
            return nil
        }
        bus = opened
    }

    // Not the flushing variant, which would block.
    deinit { sd_bus_close_unref(bus) }

    /// What `poll` should wait for.
    var pollRequest: (descriptor: Int32, events: Int16) {
        (sd_bus_get_fd(bus), Int16(clamping: max(0, sd_bus_get_events(bus))))
    }

    /// When `next()` has work even if the descriptor stays silent.
    var deadline: SuspendingClock.Instant? {
        var microseconds: UInt64 = 0
        guard sd_bus_get_timeout(bus, &microseconds) >= 0, microseconds != .max else { return nil }
        // Both count CLOCK_MONOTONIC.
        return SuspendingClock().systemEpoch + .microseconds(Int64(clamping: microseconds))
    }

    /// Queues a method call with one string as its argument, and returns the cookie that its reply will carry.
    ///
    /// It never makes the bus start a service. Nil when the connection takes no more calls.
    func call(_ member: String, _ argument: String, of interface: String, at path: String, on peer: String) -> UInt64? {
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        var cookie: UInt64 = 0
        guard
            sd_bus_message_new_method_call(bus, &message, peer, path, interface, member) >= 0,
            sd_bus_message_set_auto_start(message, 0) >= 0,
            sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), argument) >= 0,
            sd_bus_send(bus, message, &cookie) >= 0
        else { return nil }
        return cookie
    }

    /// Does one step: connects, writes, or takes one message.
    func next() -> Step {
        var message: OpaquePointer?
        let code = sd_bus_process(bus, &message)
        guard code >= 0 else { return .closed }
        if let message { return .message(BusMessage(owning: message)) }
        return code == 0 ? .idle : .progress
    }

    /// What `next()` did.
    enum Step: ~Copyable {
        case idle
        case progress
        case message(BusMessage)
        case closed
    }
}
