import HTTPTransfer
import Locking

/// What a test has moved so far, every direction and every failed request included.
///
/// Bytes of TCP payload where the kernel tells (tcpi_bytes_received, tcpi_bytes_sent), else of HTTP.
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

/// Brings what a transport has moved into the account, again and again.
final class TrafficMeter: Sendable {
    private let account: TrafficAccount
    private let transport: any SpeedTestTransport
    private let reported = Locked(TrafficAccount.Bytes())

    init(_ transport: any SpeedTestTransport, account: TrafficAccount) {
        self.transport = transport
        self.account = account
    }

    /// Adds what has moved since the last time; nothing where only the meters know.
    func update() {
        guard transport.traffic != nil else { return }
        reported.withLock { reported in
            // Read under the lock, so that no older reading comes second.
            guard let traffic = transport.traffic else { return }
            account.add(
                received: traffic.received &- min(reported.received, traffic.received),
                transmitted: traffic.transmitted &- min(reported.transmitted, traffic.transmitted)
            )
            reported = traffic
        }
    }

    /// Adds the bodies that this meter has seen, where the transport knows no better.
    func add(_ meter: TransferMeter) {
        guard transport.traffic == nil else { return }
        account.add(received: meter.received, transmitted: meter.sent)
    }
}
