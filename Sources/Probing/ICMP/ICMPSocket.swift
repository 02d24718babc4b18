import Coordination
import Glibc
import Posix

/// One ICMP socket, shared by all targets of a family and device.
final class ICMPSocket: Sendable {
    typealias Waiter = CheckedContinuation<EchoOutcome, Never>

    private struct State: ~Copyable {
        var receiver: ICMPReceiver
        // The first sequence is random, so that ICMP errors cannot be forged by counting.
        var pending = PendingPings<Waiter>(lastSequence: .random(in: 0...UInt16.max))
        var sender = TimestampedSender()
        var isClosed = false

        init(_ receiver: consuming ICMPReceiver) { self.receiver = receiver }
    }

    /// The socket's buffer certainly has room for this many replies and timestamps.
    private static let crowd = 64

    let kind: ICMPSocketKind
    private let family: AddressFamily
    private let device: String?
    private let descriptor: Descriptor
    private let identifier = UInt16.random(in: 1...UInt16.max)
    private let state: Locked<State>
    private let readiness: Readiness
    private let watch: Readiness.Order
    private let onLateReply: @Sendable (String) -> Void

    init(
        _ kind: ICMPSocketKind,
        family: AddressFamily,
        device: String?,
        descriptor: consuming Descriptor,
        readiness: Readiness,
        onLateReply: @escaping @Sendable (String) -> Void
    ) {
        self.kind = kind
        self.family = family
        self.device = device
        self.descriptor = descriptor
        self.readiness = readiness
        self.onLateReply = onLateReply
        state = Locked(State(ICMPReceiver(kind, family: family, identifier: identifier)))
        watch = readiness.newOrder()
        awaitMessages()
    }

    /// Sends one request of that many bytes and waits for its outcome.
    func ping(
        _ destination: SocketAddress,
        name: String,
        timeout: Duration,
        length: Int = EchoMessage.byteCount
    ) async -> EchoOutcome {
        // While the loop's thread waits for a processor, the socket's queue must not overflow.
        if state.withLock({ $0.pending.count >= Self.crowd }) { receive() }
        let token = UInt64.random(in: 0...UInt64.max)
        let alarm = readiness.newOrder()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let deadline = ContinuousClock.now + timeout
                let message = EchoMessage(identifier: identifier, sequence: 0, token: token, length: length)
                if let error = send(message, to: destination, name: name, timeout: timeout, waiter) {
                    return waiter.resume(returning: .unsent(error))
                }
                let isSet = readiness.call(alarm, at: deadline) { self.giveUp(token) }
                // An earlier cancellation found no waiter.
                if !isSet || Task.isCancelled { giveUp(token) }
            }
        } onCancel: {
            giveUp(token)
        }
        readiness.cancel(alarm)
        return outcome
    }

    /// Whether it cannot send any more, while a new socket could.
    var isBroken: Bool { device.map { descriptor.hasLost(device: $0) } ?? false }

    /// Receives no more: requests that wait time out.
    func close() {
        state.withLock { state in
            state.isClosed = true
            readiness.cancel(watch)
        }
    }

    // MARK: Sending

    private func send(
        _ message: EchoMessage,
        to destination: SocketAddress,
        name: String,
        timeout: Duration,
        _ waiter: Waiter
    ) -> SystemError? {
        // Under the lock, because of the order of the timestamps.
        state.withLock { state in
            guard let sequence = state.pending.nextSequence() else {
                return SystemError(call: "ping", code: ENOBUFS)
            }
            var message = message
            message.sequence = sequence
            let sent = state.sender.send(message.request(family), to: destination, over: descriptor)
            if sent.hasRestarted { state.pending.forgetKeys() }
            guard sent.code == 0 else { return SystemError(call: "sendto", code: sent.code) }
            let ping = PendingPings.Ping(
                token: message.token,
                name: name,
                timeout: timeout,
                times: sent.times,
                key: sent.key,
                length: message.length,
                waiter: waiter
            )
            state.pending.insert(ping, sequence: sequence)
            return nil
        }
    }

    // MARK: Receiving

    private func awaitMessages() {
        state.withLock { state in
            guard !state.isClosed else { return }
            _ = readiness.call(watch, whenReadable: descriptor.number) { [self] isReady in
                guard isReady else { return }
                receive()
                awaitMessages()
            }
        }
    }

    private func giveUp(_ token: UInt64) {
        // Replies received by now are in time, even if this thread is late.
        receive()
        let waiter = state.withLock { $0.pending.giveUp(token: token, at: .now) }
        waiter?.resume(returning: .timeout)
    }

    /// Reads all messages, the timestamps of sent requests first, and resumes the waiters.
    private func receive() {
        let (settled, late) = state.withLock { state in
            var settled: [(Waiter, EchoOutcome)] = []
            var late: [String] = []
            // Messages beyond this many make the socket ready again.
            for _ in 0..<128 {
                guard let notice = state.receiver.nextNotice(from: descriptor) else { break }
                switch notice {
                case .departure(let time, let key): state.pending.setDeparture(time, key: key)
                case .rejection(let sequence, let code, let refusal):
                    guard let waiter = state.pending.take(failed: sequence)?.waiter else { continue }
                    settled.append((waiter, .rejected(errno: code, refusal)))
                case .tooLarge(let sequence, let mtu):
                    guard let waiter = state.pending.take(tooLarge: sequence)?.waiter else { continue }
                    settled.append((waiter, .tooLarge(mtu: mtu)))
                case .nothing: continue
                }
            }
            for _ in 0..<128 {
                guard let (reply, arrival, hopLimit) = state.receiver.nextReply(from: descriptor) else { break }
                guard let reply, let ping = state.pending.take(sequence: reply.sequence, token: reply.token)
                else { continue }
                let roundTrip = ping.times.roundTrip(arrival: arrival, readAt: .now)
                let isLate = ping.waiter == nil || roundTrip > ping.timeout
                if isLate { late.append(ping.name) }
                let outcome =
                    isLate
                    ? EchoOutcome.timeout
                    : reply.length < ping.length ? .shortened : .reply(roundTrip: roundTrip, hopLimit: hopLimit)
                if let waiter = ping.waiter { settled.append((waiter, outcome)) }
            }
            return (settled, late)
        }
        for (waiter, outcome) in settled { waiter.resume(returning: outcome) }
        for name in late { onLateReply(name) }
    }
}

/// The two kinds of socket that can send echo requests, the preferred one first.
enum ICMPSocketKind: Sendable, Hashable, CaseIterable {
    /// For the groups in `net.ipv4.ping_group_range` (icmp(7)); the kernel delivers own replies only.
    case datagram
    /// With CAP_NET_RAW; every socket gets every reply.
    case raw

    var method: ProbeMethod { self == .datagram ? .icmpDatagram : .icmpRaw }

    /// A socket of this kind, with the options that the kernel allows.
    func open(
        _ family: AddressFamily,
        device: String?,
        with openSocket: SocketOpener
    ) throws(SystemError) -> Descriptor {
        let number = Int32(family == .ipv4 ? IPPROTO_ICMP : IPPROTO_ICMPV6)
        let descriptor = try openSocket(family.number, self == .datagram ? SocketType.datagram : SocketType.raw, number)
        if let device { try descriptor.restrict(toDevice: device) }
        // Without these, pings work with fewer facts.
        SocketOptions.setRouterErrors(descriptor.number, true, family)
        switch family {
        case .ipv4:
            // Never in fragments, whatever the kernel knows about the path.
            try? descriptor.setOption(Int32(IPPROTO_IP), IP_MTU_DISCOVER, to: IP_PMTUDISC_PROBE)
        case .ipv6:
            try? descriptor.setOption(Int32(IPPROTO_IPV6), IPV6_MTU_DISCOVER, to: IPV6_PMTUDISC_PROBE)
            try? descriptor.setOption(Int32(IPPROTO_IPV6), IPV6_DONTFRAG, to: 1)
        }
        try? descriptor.setTimestamps(true)
        // A message takes 768 bytes of it, and so does each stamp; the kernel limits this to rmem_max.
        try? descriptor.setOption(SOL_SOCKET, SO_RCVBUF, to: 1 << 20)
        if self == .raw { Self.keepOnlyReplies(descriptor, family) }
        return descriptor
    }

    /// Errors come over the error queue, so that the raw socket itself needs nothing but echo replies.
    private static func keepOnlyReplies(_ descriptor: borrowing Descriptor, _ family: AddressFamily) {
        // A bit that is set keeps the messages of its type out (ICMP_FILTER in raw(7), ICMPV6_FILTER in RFC 3542).
        var blocked = [UInt32](repeating: .max, count: family == .ipv4 ? 1 : 8)
        let reply = Int(EchoFormat(family).reply)
        blocked[reply / 32] &= ~(1 << UInt32(reply % 32))
        let level = family == .ipv4 ? Int32(IPPROTO_RAW) : Int32(IPPROTO_ICMPV6)
        _ = setsockopt(descriptor.number, level, 1, &blocked, socklen_t(blocked.count * 4))
    }
}
