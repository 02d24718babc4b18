import HTTPTransfer
import Locking

/// Brings what a transport has moved into the account, again and again.
final class TrafficMeter: Sendable {
    private let account: TrafficAccount
    private let transport: any SpeedTestTransport
    private let told = Locked(TrafficAccount.Bytes())

    init(_ transport: any SpeedTestTransport, account: TrafficAccount) {
        self.transport = transport
        self.account = account
    }

    /// Adds what has moved since the last time; nothing where only the meters know.
    func update() {
        guard transport.traffic != nil else { return }
        told.withLock { told in
            // Read under the lock, so that no older reading comes second.
            guard let traffic = transport.traffic else { return }
            account.add(
                received: traffic.received &- min(told.received, traffic.received),
                transmitted: traffic.transmitted &- min(told.transmitted, traffic.transmitted)
            )
            told = traffic
        }
    }

    /// Adds the bodies that this meter has seen, where the transport knows no better.
    func add(_ meter: TransferMeter) {
        guard transport.traffic == nil else { return }
        account.add(received: meter.received, transmitted: meter.sent)
    }
}
