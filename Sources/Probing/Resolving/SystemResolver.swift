import Locking
package import Posix
import Synchronization

/// Resolves names as every program of this host does, without ever blocking who asks.
///
/// While every thread hangs in a dead resolver, literal addresses are answered at once and other questions fail in time.
package final class SystemResolver: NameResolving {
    private let threads: LookupThreads
    private let lastID = Atomic<UInt64>(0)

    /// Starts no thread yet.
    package convenience init() {
        self.init(mostThreads: Int(DescriptorReserve().lookups), lookup: SystemLookup.addresses)
    }

    /// - Parameters:
    ///   - mostThreads: how many names can be looked up at once: a name whose server is silent keeps a thread for up to
    ///     30 s. They begin when they are needed.
    ///   - lookup: may block; empty where the name has no address.
    init(mostThreads: Int = 256, lookup: @escaping LookupThreads.Lookup) {
        threads = LookupThreads(most: mostThreads, lookup: lookup)
    }

    package func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(ProbeFailure) -> [ResolvedAddress] {
        if let literal = try ResolvedAddress.literal(host) {
            guard family == nil || family == literal.address.family else { throw .resolve }
            return [literal]
        }
        // A NUL would end the C string early, and thus name another host.
        guard !host.isEmpty, !host.utf8.contains(0) else { throw .resolve }
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let timer = Task(name: "resolver deadline") { [threads] in
            try? await Task.sleep(until: deadline, clock: .continuous)
            threads.giveUp(id)
        }
        defer { timer.cancel() }
        let found = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                threads.ask(LookupQuestion(host: host, family: family), id: id, waiter: continuation, until: deadline)
                // Both may have happened before there was anybody to give up.
                if Task.isCancelled || deadline <= .now { threads.giveUp(id) }
            }
        } onCancel: {
            threads.giveUp(id)
        }
        guard !found.isEmpty else { throw .resolve }
        return found
    }
}
