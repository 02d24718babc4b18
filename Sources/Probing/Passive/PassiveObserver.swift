import Locking
import Posix
import Statistics

/// Watches the TCP connections of this host's programs: proof of the internet, and its latency, for no traffic at all.
///
/// Needs no privilege. Each dump takes milliseconds, on a thread of its own.
package final class PassiveObserver: Sendable {
    /// After a thread could not be had.
    private static let pause = Duration.seconds(1)
    /// Tasks that may wait for a report; each waits for one dump at most.
    private static let maxWaiters = 1024

    /// A task that waits for a report on this moment.
    private typealias Waiter = CheckedContinuation<PassiveReport?, Never>

    private struct State {
        /// Of the running loop.
        var mailbox: Mailbox<Waiter>?
        var current: PassiveReport?
        var failure: String?
        var statistics = PassiveStatistics()
        /// Readers of `reports()`.
        var readers: [UInt64: AsyncStream<PassiveReport>.Continuation] = [:]
        var nextReader: UInt64 = 0
    }

    private let interval: Duration
    private let global: GlobalAddresses
    private let prepareThread: @Sendable () -> Void
    private let onReport: @Sendable (PassiveReport) -> Void
    private let state = Locked(State())

    /// An observer that does nothing until `run()`.
    ///
    /// - Parameters:
    ///   - interval: from one dump to the next.
    ///   - global: which peers count as the internet.
    ///   - prepareThread: called first on the thread: the test lab enters a network namespace with it.
    ///   - onReport: called on the thread after each dump; must not block.
    package init(
        interval: Duration = .seconds(20),
        global: GlobalAddresses = .standard,
        prepareThread: @escaping @Sendable () -> Void = {},
        onReport: @escaping @Sendable (PassiveReport) -> Void = { _ in }
    ) {
        self.interval = interval
        self.global = global
        self.prepareThread = prepareThread
        self.onReport = onReport
    }

    /// The latest report; nil before the first.
    package var current: PassiveReport? { state.withLock { $0.current } }

    /// Why there are no reports at this moment; nil while there are.
    package var failure: String? { state.withLock { $0.failure } }

    package var statistics: PassiveStatistics { state.withLock { $0.statistics } }

    /// Observes until the task is cancelled; one call at a time.
    ///
    /// A kernel that refuses is asked again after each interval.
    package func run() async {
        while !Task.isCancelled {
            do {
                let mailbox = try Mailbox<Waiter>(capacity: Self.maxWaiters)
                try await LoopThread.run(name: "passive", mailbox: mailbox) { self.observe(mailbox) }
            } catch {
                state.withLock { $0.failure = "\(error)" }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Each report that nobody has asked for with `report()`, from now on: every dump is told once, here or there.
    package func reports() -> AsyncStream<PassiveReport> {
        let (stream, continuation) = AsyncStream<PassiveReport>.makeStream(bufferingPolicy: .bufferingNewest(8))
        let reader = state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: reader) }
        }
        return stream
    }

    /// A report on this moment; nil while nothing runs, or where the kernel refuses.
    package func report() async -> PassiveReport? {
        await withCheckedContinuation { continuation in
            let mailbox = state.withLock { $0.mailbox }
            guard let mailbox, case .accepted = mailbox.post(continuation) else {
                return continuation.resume(returning: nil)
            }
        }
    }

    // MARK: On the thread

    private func observe(_ mailbox: Mailbox<Waiter>) {
        prepareThread()
        state.withLock { $0.mailbox = mailbox }
        defer { state.withLock { $0.mailbox = nil } }
        var source = FlowSource()
        var evidence = PassiveEvidence(interval: interval, global: global)
        var due = SuspendingClock.now
        while true {
            let (asking, isStopped) = mailbox.take()
            if isStopped {
                for continuation in asking { continuation.resume(returning: nil) }
                return
            }
            if !asking.isEmpty || SuspendingClock.now >= due {
                let report = dump(&source, &evidence)
                for continuation in asking { continuation.resume(returning: report) }
                if let report, asking.isEmpty {
                    let readers = state.withLock { Array($0.readers.values) }
                    for reader in readers { reader.yield(report) }
                }
                due = .now + interval
            }
            mailbox.wait(upTo: SuspendingClock.now.duration(to: due))
        }
    }

    private func dump(_ source: inout FlowSource, _ evidence: inout PassiveEvidence) -> PassiveReport? {
        do {
            let dump = try source.read()
            let (report, roundTrips) = evidence.take(dump.flows, own: dump.own, neighbours: dump.neighbours, at: .now)
            state.withLock { state in
                state.failure = nil
                state.current = report
                state.statistics.dumps += 1
                for rtt in roundTrips { state.statistics.rtt.observe(rtt) }
                if let median = report.medianRTT { state.statistics.medianRTT = median }
            }
            onReport(report)
            return report
        } catch {
            state.withLock { $0.failure = "\(error)" }
            return nil
        }
    }
}
