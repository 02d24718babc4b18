import Posix

/// The requests of one socket that wait for a reply, and those that timed out: a reply to these is late.
struct PendingPings<Waiter: Sendable>: Sendable {
    struct Ping: Sendable {
        let token: UInt64
        /// The target whose late reply is counted.
        let name: String
        let timeout: Duration
        var times: EchoTimes
        /// The number of the kernel's timestamp.
        let key: UInt32
        /// Of the request: a reply has as many bytes.
        var length = EchoMessage.byteCount
        /// nil: timed out or cancelled.
        var waiter: Waiter?
        /// When a late reply is no longer counted.
        var forgottenAt: ContinuousClock.Instant?
    }

    /// How long after its timeout a reply is late and not unknown.
    static var lateWindow: Duration { .seconds(30) }

    private var pings: [UInt16: Ping] = [:]
    private var sequences: [UInt64: UInt16] = [:]
    private var keys: [UInt32: UInt16] = [:]
    private var lastSequence: UInt16
    private var nextSweep: ContinuousClock.Instant?

    init(lastSequence: UInt16 = 0) {
        self.lastSequence = lastSequence
    }

    var count: Int { pings.count }

    /// A free sequence, or one that only waits for a late reply.
    mutating func nextSequence() -> UInt16? {
        for _ in 0...UInt16.max {
            lastSequence &+= 1
            guard let ping = pings[lastSequence] else { return lastSequence }
            if ping.waiter == nil {
                remove(lastSequence)
                return lastSequence
            }
        }
        return nil
    }

    mutating func insert(_ ping: Ping, sequence: UInt16) {
        pings[sequence] = ping
        sequences[ping.token] = sequence
        keys[ping.key] = sequence
    }

    /// Notes when the kernel sent a request.
    mutating func setDeparture(_ time: Duration, key: UInt32) {
        guard let sequence = keys[key] else { return }
        pings[sequence]?.times.departure = time
    }

    /// Forgets the numbers of the timestamps, which start again.
    mutating func forgetKeys() {
        keys = [:]
    }

    /// Removes the request of a reply; nil for a foreign or repeated reply.
    mutating func take(sequence: UInt16, token: UInt64) -> Ping? {
        guard pings[sequence]?.token == token else { return nil }
        return remove(sequence)
    }

    /// Removes the request of an ICMP error, if it still waits.
    mutating func take(failed sequence: UInt16) -> Ping? {
        guard pings[sequence]?.waiter != nil else { return nil }
        return remove(sequence)
    }

    /// Removes the request that a router could not forward, if it still waits; a small one cannot be too large.
    mutating func take(tooLarge sequence: UInt16) -> Ping? {
        guard let ping = pings[sequence], ping.length > EchoMessage.byteCount else { return nil }
        return take(failed: sequence)
    }

    /// Ends the wait for a request, whose reply is recognised as late for a while.
    mutating func giveUp(token: UInt64, at now: ContinuousClock.Instant) -> Waiter? {
        sweep(at: now)
        guard let sequence = sequences[token] else { return nil }
        pings[sequence]?.forgottenAt = now + Self.lateWindow
        return pings[sequence]?.waiter.take()
    }

    @discardableResult
    private mutating func remove(_ sequence: UInt16) -> Ping? {
        guard let ping = pings.removeValue(forKey: sequence) else { return nil }
        sequences[ping.token] = nil
        if keys[ping.key] == sequence { keys[ping.key] = nil }
        return ping
    }

    /// Removes requests whose late window is over; runs every 5 s at most.
    private mutating func sweep(at now: ContinuousClock.Instant) {
        guard now >= nextSweep ?? now else { return }
        nextSweep = now + .seconds(5)
        for (sequence, ping) in pings where ping.forgottenAt.map({ $0 <= now }) == true { remove(sequence) }
    }
}

/// The times of a request, on our clock and on that of the kernel's timestamps.
struct EchoTimes: Sendable, Equatable {
    /// Before the system call, on our clock and on that of the timestamps.
    var sentAt: ContinuousClock.Instant
    var sentWallTime: Duration
    /// The kernel's timestamp when the packet went to the driver; nil: none.
    var departure: Duration?

    /// The round trip.
    ///
    /// The clock of the timestamps may have been set meanwhile, so its difference must not exceed ours.
    ///
    /// - Parameters:
    ///   - arrival: the kernel's timestamp of the reply; nil: none.
    ///   - readAt: when the reply was read, which gives an upper bound.
    /// - Returns: zero or more.
    func roundTrip(arrival: Duration?, readAt: ContinuousClock.Instant) -> Duration {
        let bound = max(.zero, readAt - sentAt)
        guard let arrival else { return bound }
        let possible = Duration.zero...bound
        if let departure, departure >= sentWallTime, possible.contains(arrival - departure) {
            return arrival - departure
        }
        return possible.contains(arrival - sentWallTime) ? arrival - sentWallTime : bound
    }
}

/// The outcome of an echo request.
enum EchoOutcome: Sendable, Equatable {
    /// `hopLimit`: the hops that were left to the reply.
    case reply(roundTrip: Duration, hopLimit: UInt8?)
    /// No reply in time, or cancelled.
    case timeout
    /// An ICMP error of a router or of this host, as an errno.
    case rejected(errno: Int32, Refusal?)
    /// A router cannot forward it; the MTU of its next hop where it says it.
    case tooLarge(mtu: Int?)
    /// The reply has fewer bytes than the request.
    case shortened
    /// The kernel did not accept it.
    case unsent(SystemError)
}
