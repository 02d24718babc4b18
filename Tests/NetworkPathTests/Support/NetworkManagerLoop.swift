import Glibc

@testable import NetworkPath

/// The `poll` loop around a `NetworkManagerClient`, run by a test until something has happened.
final class NetworkManagerLoop {
    let client: NetworkManagerClient
    /// What changed since the test last emptied it.
    var changes: NetworkManagerClient.Change = []

    init(_ address: String?) {
        client = NetworkManagerClient(busAddress: address)
    }

    /// Polls and processes until the condition holds; false when it does not within half a minute.
    ///
    /// With `ahead` the client is told a time so far in the future.
    func run(ahead: Duration = .zero, until condition: (NetworkManagerClient) -> Bool) -> Bool {
        let end = SuspendingClock.now + .seconds(30)
        while !condition(client) {
            let now = SuspendingClock.now
            guard now < end else { return false }
            let wait = min(end, client.deadline.map { $0 - ahead } ?? end) - now
            let milliseconds = Int32(max(0, min(30_000, wait / .milliseconds(1) + 1)))
            var request = pollfd(fd: -1, events: 0, revents: 0)
            if let (descriptor, events) = client.pollRequest {
                request = pollfd(fd: descriptor, events: events, revents: 0)
            }
            poll(&request, 1, milliseconds)
            changes.formUnion(client.process(now: SuspendingClock.now + ahead))
        }
        return true
    }
}
