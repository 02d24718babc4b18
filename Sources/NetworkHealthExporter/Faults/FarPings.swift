import Coordination
import NetworkHealth
import Posix
import Probing
import Statistics

/// Pings the server behind all routers in each round in which these are probed: what they lose, and how long they take,
/// compares with it.
final class FarPings: Sendable {
    private struct State {
        var windows: [IPAddress: OutcomeWindow] = [:]
        /// Those that have answered on this path.
        var answering: Set<IPAddress> = []
        /// Grows with each restart.
        var path = 0
        var traffic = ByteCounts()
    }

    private let ping: @Sendable (IPAddress) async -> ProbeResult
    private let state = Locked(State())
    /// A round a second and two families; one that waits longer is left out.
    private let rounds = AsyncStream<IPAddress>.makeStream(bufferingPolicy: .bufferingNewest(4))

    init(ping: @escaping @Sendable (IPAddress) async -> ProbeResult) { self.ping = ping }

    /// Bytes of IP packets.
    var traffic: ByteCounts { state.read(\.traffic) }

    /// Of each address that has answered on this path.
    ///
    /// The silence of another one says nothing: some networks drop pings.
    var servers: [FaultEvidence.Server] {
        state.read { state in
            state.windows.filter { state.answering.contains($0.key) }
                .map { FaultEvidence.Server("\($0)", $0.family, window: $1) }
        }
    }

    /// Has the address pinged; must not block.
    func roundBegan(_ address: IPAddress) { rounds.continuation.yield(address) }

    /// Forgets what was measured over another path.
    func restart() {
        state.withLock { state in
            (state.windows, state.answering) = ([:], [])
            state.path += 1
        }
    }

    /// Forgets what was measured to others than these, which are pinged no more: it says nothing about now.
    func keep(_ addresses: Set<IPAddress>) {
        state.withLock { state in
            state.windows = state.windows.filter { addresses.contains($0.key) }
            state.answering.formIntersection(addresses)
        }
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            for await address in rounds.stream { group.addTask { await self.send(to: address) } }
        }
    }

    /// What fails at a limit of this machine, or was sent over another path, does not count.
    private func send(to address: IPAddress) async {
        let path = state.read(\.path)
        let result = await ping(address)
        guard !Task.isCancelled else { return }
        state.withLock { state in
            let header = UInt64(address.family.headerBytes)
            if result.sentBytes > 0 { state.traffic.transmitted &+= result.sentBytes &+ header }
            if result.receivedBytes > 0 { state.traffic.received &+= result.receivedBytes &+ header }
            guard result.failure != .local, path == state.path else { return }
            if result.isSuccess { state.answering.insert(address) }
            state.windows[address, default: OutcomeWindow(capacity: 600)].push(
                result.isSuccess ? result.rtt : nil,
                at: .now
            )
        }
    }
}
