import HTTPTransfer
import Locking

/// The bytes that a test has moved so far, in each direction, failed requests included.
///
/// Bytes of TCP payload where the kernel counts them (tcpi_bytes_received, tcpi_bytes_sent), else of HTTP bodies.
package final class TrafficAccount: Sendable {
    package struct Bytes: Sendable, Equatable {
        package var received: UInt64 = 0
        package var transmitted: UInt64 = 0

        package init(received: UInt64 = 0, transmitted: UInt64 = 0) {
            self.received = received
            self.transmitted = transmitted
        }

        package var total: UInt64 { received &+ transmitted }

        package mutating func add(_ other: Bytes) {
            received &+= other.received
            transmitted &+= other.transmitted
        }
    }

    private let state = Locked(Bytes())

    package init() {}

    package var bytes: Bytes { state.withLock { $0 } }

    package func add(received: UInt64 = 0, transmitted: UInt64 = 0) {
        state.withLock { $0.add(Bytes(received: received, transmitted: transmitted)) }
    }
}

/// Adds the bytes of a transport to the account as they grow.
final class TrafficMeter: Sendable {
    private let account: TrafficAccount
    private let transport: any SpeedTestTransport
    private let reported = Locked(TrafficAccount.Bytes())

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
            account.add(
                received: traffic.received &- min(reported.received, traffic.received),
                transmitted: traffic.transmitted &- min(reported.transmitted, traffic.transmitted)
            )
            reported = traffic
        }
    }

    /// Adds the bodies that a meter has counted, where the transport has no counters.
    func add(_ meter: TransferMeter) {
        guard transport.traffic == nil else { return }
        account.add(received: meter.received, transmitted: meter.sent)
    }
}
