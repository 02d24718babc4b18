import Coordination
import Glibc
import Posix

/// One UDP socket for the hops of a family: the kernel keeps its port, and what comes back for its packets.
final class HopSocket: Sendable {
    typealias Waiter = CheckedContinuation<HopOutcome, Never>

    private struct State: ~Copyable {
        var receiver = HopReceiver()
        var flights = HopFlights<Waiter>(lastNumber: .random(in: 0...UInt16.max))
        var sender = TimestampedSender()
        var isClosed = false
    }

    private let family: AddressFamily
    private let device: String?
    private let descriptor: Descriptor
    private let state = Locked(State())
    private let readiness: Readiness
    private let watch: Readiness.Order
    /// Called with each error of a router that is not the answer to a probe, also with one that came too late for its probe.
    private let onRefusal: @Sendable (Refusal) -> Void
    private let onReceived: @Sendable (_ bytes: UInt64) -> Void

    init(
        _ family: AddressFamily,
        device: String?,
        openSocket: SocketOpener,
        readiness: Readiness,
        onRefusal: @escaping @Sendable (Refusal) -> Void,
        onReceived: @escaping @Sendable (_ bytes: UInt64) -> Void
    ) throws(SystemError) {
        descriptor = try Self.open(family, device: device, with: openSocket)
        self.family = family
        self.device = device
        self.readiness = readiness
        self.onRefusal = onRefusal
        self.onReceived = onReceived
        watch = readiness.newOrder()
        awaitMessages()
    }

    static func open(
        _ family: AddressFamily,
        device: String?,
        with openSocket: SocketOpener
    ) throws(SystemError) -> Descriptor {
        let descriptor = try openSocket(family.number, SocketType.datagram, Int32(IPPROTO_UDP))
        if let device { try descriptor.restrict(toDevice: device) }
        let code = SocketOptions.setRouterErrors(descriptor.number, true, family)
        guard code == 0 else { throw SystemError(call: "setsockopt", code: code) }
        // Without them our clock times the round trip.
        try? descriptor.setTimestamps(true)
        return descriptor
    }

    /// Whether it cannot send any more, while a new socket could.
    var isBroken: Bool { device.map { descriptor.hasLost(device: $0) } ?? false }

    /// Stops waiting for messages: probes under way end at their deadlines.
    func close() {
        state.withLock { state in
            state.isClosed = true
            readiness.cancel(watch)
        }
    }

    /// Sends one probe and waits for its outcome; a cancelled task's is `silent`.
    func probe(_ distance: Int, to address: IPAddress, timeout: Duration) async -> HopOutcome {
        let alarm = readiness.newOrder()
        let number = Locked<UInt16?>(nil)
        let giveUp: @Sendable () -> Void = { [self] in number.withLock { $0 }.map { self.giveUp($0) } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let deadline = ContinuousClock.now + timeout
                switch send(distance, to: address, waiter) {
                case .failure(let error): return waiter.resume(returning: .unsent(error))
                case .success(let sent): number.withLock { $0 = sent }
                }
                let isSet = readiness.call(alarm, at: deadline, giveUp)
                // An earlier cancellation found no probe.
                if !isSet || Task.isCancelled { giveUp() }
            }
        } onCancel: {
            giveUp()
        }
        readiness.cancel(alarm)
        return outcome
    }

    // MARK: Sending

    private func send(_ distance: Int, to address: IPAddress, _ waiter: Waiter) -> Result<UInt16, SystemError> {
        // Under the lock: the hop limit is the socket's, and so is the order of the time stamps.
        state.withLock { state in
            guard let number = state.flights.nextNumber(to: distance) else {
                return .failure(SystemError(call: "hop probe", code: EBUSY))
            }
            let code = SocketOptions.setHopLimit(descriptor.number, UInt8(clamping: distance), family)
            guard code == 0 else { return .failure(SystemError(call: "setsockopt", code: code)) }
            let destination = SocketAddress(address, port: HopMessage.port(of: distance))
            let sent = state.sender.send(HopMessage(number: number).bytes, to: destination, over: descriptor)
            if sent.hasRestarted { state.flights.forgetKeys() }
            guard sent.code == 0 else { return .failure(SystemError(call: "sendto", code: sent.code)) }
            state.flights.insert(
                HopFlights.Flight(distance: distance, times: sent.times, key: sent.key, waiter: waiter),
                number: number
            )
            return .success(number)
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

    private func giveUp(_ number: UInt16) {
        // What has arrived by now is in time, even if this thread is late.
        receive()
        state.withLock { $0.flights.giveUp(number) }?.waiter.resume(returning: .silent)
    }

    private func receive() {
        let (settled, errors) = state.withLock { state in
            var settled: [(Waiter, HopOutcome)] = []
            var errors: [HopError] = []
            // Messages beyond this many make the socket ready again.
            for _ in 0..<128 {
                guard let notice = state.receiver.nextNotice(from: descriptor) else { break }
                switch notice {
                case .departure(let time, let key): state.flights.setDeparture(time, key: key)
                case .error(let error):
                    errors.append(error)
                    let flights = state.flights.take(error.number, at: error.distance)
                    let isCertain = flights.count == 1
                    for flight in flights {
                        let roundTrip = flight.times.roundTrip(arrival: error.arrival, readAt: .now)
                        settled.append((flight.waiter, error.outcome(after: isCertain ? roundTrip : nil)))
                    }
                case .nothing: continue
                }
            }
            state.receiver.discardMessages(from: descriptor)
            return (settled, errors)
        }
        for error in errors {
            onReceived(error.bytes)
            if !error.isAnswer { onRefusal(error.refusal) }
        }
        for (waiter, outcome) in settled { waiter.resume(returning: outcome) }
    }
}
