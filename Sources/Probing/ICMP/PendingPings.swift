import Posix

/// The requests of one socket that wait for a reply, and those that waited in vain: a reply to these is late.
struct PendingPings<Waiter: Sendable>: Sendable {
    struct Ping: Sendable {
        let token: UInt64
        /// Who is told when a reply comes late.
        let name: String
        let timeout: Duration
        var times: EchoTimes
        /// The number of the kernel's stamp.
        let key: UInt32
        /// nil: nobody waits any more.
        var waiter: Waiter?
        /// From when on a late reply is nobody's.
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

    /// A sequence that nobody waits on; one that waits for a late reply only is given up for it.
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

    /// Forgets the numbers of the stamps, which start again.
    mutating func forgetKeys() {
        keys = [:]
    }

    /// Takes out what a reply answers; nil for one that is not ours, or came before.
    mutating func take(sequence: UInt16, token: UInt64) -> Ping? {
        guard pings[sequence]?.token == token else { return nil }
        return remove(sequence)
    }

    /// Takes out what an ICMP error is about, if somebody still waits for it.
    mutating func take(failed sequence: UInt16) -> Ping? {
        guard pings[sequence]?.waiter != nil else { return nil }
        return remove(sequence)
    }

    /// Lets nobody wait for a request any more, but knows its reply for a while.
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

    /// Looks through all of them, but seldom.
    private mutating func sweep(at now: ContinuousClock.Instant) {
        guard now >= nextSweep ?? now else { return }
        nextSweep = now + .seconds(5)
        for (sequence, ping) in pings where ping.forgottenAt.map({ $0 <= now }) == true { remove(sequence) }
    }
}

/// When a request left and its reply came, on the clocks that tell it.
struct EchoTimes: Sendable, Equatable {
    /// Before the system call, on our own clock and on the kernel's stamps' clock.
    var sentAt: ContinuousClock.Instant
    var sentWallTime: Duration
    /// The kernel's stamp as the packet went to the driver; nil: none came.
    var departure: Duration?

    /// The round trip; the stamps' clock may have been set meanwhile, so what it says must fit our own.
    ///
    /// - Parameters:
    ///   - arrival: the kernel's stamp of the reply; nil: none came.
    ///   - readAt: when we had the reply in hands, and so an upper bound.
    /// - Returns: never less than nothing.
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

/// What became of an echo request.
enum EchoOutcome: Sendable, Equatable {
    case reply(roundTrip: Duration)
    /// No reply in time, or nobody waits any more.
    case timeout
    /// A router, or this host on behalf of one, sent an ICMP error; the errno stands for it.
    case rejected(errno: Int32)
    /// The kernel did not take it.
    case unsent(SystemError)
}
