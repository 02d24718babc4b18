import Coordination
import Glibc
import Synchronization

/// Finds the addresses of names: the seam to the resolver, which tests replace.
package protocol NameResolving: Sendable {
    /// The addresses in the resolver's order, never none; a literal one, also `fe80::1%eth0`, is returned at once.
    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(LookupError) -> [SocketAddress]

    /// Has later questions looked up anew, even where an equal one is under way: the network has changed.
    func renew()
}

extension NameResolving {
    package func renew() {}
}

/// Resolves names as every program of this host does, without blocking the caller's thread.
///
/// While every thread hangs in a dead resolver, literal addresses are answered at once and other questions fail in time.
package final class SystemResolver: NameResolving {
    /// Looks a name up and may block; empty where it has no address.
    typealias Lookup = @Sendable (_ host: String, _ family: AddressFamily?) -> [SocketAddress]
    typealias Waiter = CheckedContinuation<Result<[SocketAddress], LookupError>, Never>

    private let queue: Locked<LookupQueue<Waiter>>
    private let lookup: Lookup
    private let lastID = Atomic<UInt64>(0)
    private let round = Atomic<UInt64>(0)

    /// For everything that has no resolver of its own.
    package static let shared = SystemResolver()

    /// Starts no thread yet.
    package convenience init() {
        self.init(maxThreads: Int(DescriptorReserve().lookups)) { host, family in
            (try? HostLookup.addresses(of: host, family: family)) ?? []
        }
    }

    /// - Parameters:
    ///   - maxThreads: how many names can be looked up at once: a name whose server is silent keeps a thread for up to
    ///     30 s. A thread starts when it is needed, and ends when no question waits.
    ///   - lookup: called on those threads. One that hangs outlives the caller, and the resolver.
    package init(
        maxThreads: Int = 32,
        lookup: @escaping @Sendable (_ host: String, _ family: AddressFamily?) -> [SocketAddress]
    ) {
        queue = Locked(LookupQueue(maxThreads: maxThreads))
        self.lookup = lookup
    }

    package func renew() { round.wrappingAdd(1, ordering: .relaxed) }

    package func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(LookupError) -> [SocketAddress] {
        if let literal = try SocketAddress(literal: host) {
            guard family == nil || family == literal.ip.family else { throw .noAddress(EAI_NONAME) }
            return [literal]
        }
        // A NUL would end the C string early, and thus name another host.
        guard !host.isEmpty, !host.utf8.contains(0) else { throw .noAddress(EAI_NONAME) }
        let question = LookupQuestion(host: host, family: family, round: round.load(ordering: .relaxed))
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let timer = Task(name: "resolver deadline") {
            // The limit of the wait, which an answer ends earlier.
            try? await Task.sleep(until: deadline, clock: .continuous)
            giveUp(id)
        }
        defer { timer.cancel() }
        let found = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask(question, id: id, waiter: continuation, until: deadline)
                // Both may have happened before the question was there to be given up.
                if Task.isCancelled || deadline <= .now { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
        let addresses = try found.get()
        guard !addresses.isEmpty else { throw .noAddress(deadline <= .now ? EAI_AGAIN : EAI_NONAME) }
        return addresses
    }

    /// Has `waiter` resumed with the addresses or the lack of a thread, or by `giveUp`.
    private func ask(_ question: LookupQuestion, id: UInt64, waiter: Waiter, until deadline: ContinuousClock.Instant) {
        guard queue.withLock({ $0.ask(question, id: id, waiter: waiter, until: deadline) }) else { return }
        do {
            try LoopThread(name: "resolver") { self.run() }.detach()
        } catch {
            // A running thread may still take the question.
            let hindered = queue.withLock { $0.threadFailed(for: question) }
            for waiter in hindered { waiter.resume(returning: .failure(.localLimit)) }
        }
    }

    /// Resumes a waiter without an address, unless it has been resumed.
    private func giveUp(_ id: UInt64) {
        guard let (waiter, isLocalLimit) = queue.withLock({ $0.giveUp(id) }) else { return }
        waiter.resume(returning: isLocalLimit ? .failure(.localLimit) : .success([]))
    }

    /// The body of a thread.
    private func run() {
        while let question = queue.withLock({ $0.next(at: .now) }) {
            let found = lookup(question.host, question.family)
            let waiters = queue.withLock { $0.finish(question, hasAddress: !found.isEmpty) }
            for waiter in waiters { waiter.resume(returning: .success(found)) }
        }
    }
}
