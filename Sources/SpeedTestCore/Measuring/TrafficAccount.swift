import Coordination
import HTTPTransfer
package import Posix
package import Statistics

/// The bytes that a test has moved so far, in each direction, failed requests included: bytes of IP packets.
///
/// What the connections have carried is known within bounds (`CarriedBytes`): segments that this host's own queues drop count
/// as sent, and what arrives after a connection was closed counts nowhere. The counters of the device decide between the
/// bounds. They are exact while nothing else uses the device; beside other traffic the upper bound counts. Where the caller
/// has networking of its own, the bytes of HTTP bodies count.
package final class TrafficAccount: Sendable {
    private struct State {
        var carried = CarriedBytes()
        /// Those that were returned, which never become fewer.
        var bytes = ByteCounts()
        /// What the connections had carried when the last test was over: until it changes, the devices carry what is not a test's.
        var settled: CarriedBytes?
    }

    /// The longest time for what is under way when a connection is closed, and for the counters of a slow device.
    private static let settling = Duration.seconds(1)
    /// A device without this many packets for so long has carried what was under way.
    private static let silence = (packets: UInt64(3), time: Duration.milliseconds(100))

    private let state = Locked(State())
    let device = DeviceMeter()

    package init() {}

    package var bytes: ByteCounts {
        let (carried, count) = reading
        // Of a count that has both directions, the other one is taken off.
        let (sentToo, receivedToo) = device.countsBothWays ? (carried.sent.most, carried.received.most) : (0, 0)
        return state.withLock { state in
            guard carried != state.settled else { return state.bytes }
            let received = count.map { $0.received.bytes - min($0.received.bytes, sentToo) }
            let sent = count.map { $0.sent.bytes - min($0.sent.bytes, receivedToo) }
            state.bytes.received = max(state.bytes.received, carried.received.nearest(to: received))
            state.bytes.transmitted = max(state.bytes.transmitted, carried.sent.nearest(to: sent))
            return state.bytes
        }
    }

    /// What the connections have carried, and their devices.
    var reading: (carried: CarriedBytes, device: DeviceCount?) {
        let carried = state.withLock { $0.carried }
        return (carried, device.count(own: carried.received.least &+ carried.sent.least))
    }

    package func add(_ carried: CarriedBytes) {
        state.withLock { $0.carried.add(carried) }
    }

    /// Waits until the devices have carried and counted what was under way when the last connection was closed.
    ///
    /// - Parameter limit: of the wait, where it is shorter than usual; a device that other programs use never becomes silent.
    func settle(upTo limit: Duration? = nil) async {
        await waitForSilence(upTo: limit)
        _ = bytes
        state.withLock { $0.settled = $0.carried }
    }

    private func waitForSilence(upTo limit: Duration?) async {
        let limit = limit ?? Self.settling
        let begin = ContinuousClock.now
        var packets: UInt64?
        var silentSince = begin
        while let count = reading.device, begin.duration(to: .now) < limit {
            let sum = count.received.packets &+ count.sent.packets
            if packets.map({ sum < $0 || sum - $0 >= Self.silence.packets }) ?? true {
                (packets, silentSince) = (sum, .now)
            }
            if silentSince.duration(to: .now) >= max(Self.silence.time, device.refresh) { return }
            // The counters of a device have no event.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Adds the bytes of a transport to the account as they grow.
final class TrafficMeter: Sendable {
    let account: TrafficAccount
    private let transport: any SpeedTestTransport
    private let reported = Locked(CarriedBytes())

    init(_ transport: any SpeedTestTransport, account: TrafficAccount) {
        self.transport = transport
        self.account = account
    }

    /// Adds the bytes since the last call; none where only the meters count them.
    func update() {
        guard transport.traffic != nil else { return }
        reported.withLock { reported in
            // Read under the lock, so that readings come in their order.
            guard let traffic = transport.traffic else { return }
            account.add(traffic.since(reported))
            reported = traffic
        }
    }

    /// Adds the bodies that a meter has counted, where the transport has no counters.
    func add(_ meter: TransferMeter) {
        guard transport.traffic == nil else { return }
        account.add(CarriedBytes(received: meter.received, sent: meter.sent))
    }
}
