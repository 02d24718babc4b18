import Coordination
package import Posix
import Statistics

/// Observes the TCP connections of this host's programs: a proof of the internet, and its latency, without sending.
///
/// Needs no privilege. Each dump takes milliseconds, on a thread of its own.
package final class PassiveObserver: Sendable {
    /// After a thread could not be started.
    private static let pause = Duration.seconds(1)
    /// So many retransmissions between two looks are a reason for a dump.
    private static let notableRetransmissions: UInt64 = 2
    /// A dump out of turn comes after this many times what the last one took: 1 % of a processor at most.
    private static let dumpShare = 100
    /// The pause after a dump of 3 s.
    ///
    /// One that takes longer was interrupted, for example because this process was stopped.
    private static let longestRest = Duration.seconds(300)

    /// Tasks that may wait for a report; each waits for one dump at most.
    private static let maxWaiters = 1024

    /// A task that waits for a report on this moment; nil: somebody reads the reports from now on.
    private typealias Waiter = CheckedContinuation<PassiveReport?, Never>?

    private struct State {
        /// That of the running loop.
        var mailbox: Mailbox<Waiter>?
        var current: PassiveReport?
        var failure: String?
        var statistics = PassiveStatistics()
        /// `PassiveEvidence.devices`.
        var devices: Set<Int>?
    }

    private let interval: Duration
    private let look: Duration
    private let global: GlobalAddresses
    private let retransmissions: RetransmissionCounter
    private let prepareThread: @Sendable () -> Void
    private let state = Locked(State())
    private let unrequested = Broadcast<PassiveReport>()

    /// An observer that does nothing until `run()`.
    ///
    /// - Parameters:
    ///   - interval: from one dump to the next.
    ///   - look: from one look at the kernel's count of retransmissions to the next, while somebody reads the reports.
    ///   - global: the peers that count as the internet.
    ///   - procfs: that of the thread shows the namespace that it has entered.
    ///   - prepareThread: called first on the thread; the test lab enters a network namespace with it.
    package init(
        interval: Duration = .seconds(20),
        look: Duration = .seconds(2),
        global: GlobalAddresses = .standard,
        procfs: String = "/proc/thread-self",
        prepareThread: @escaping @Sendable () -> Void = {}
    ) {
        (self.interval, self.look) = (interval, look)
        self.global = global
        retransmissions = RetransmissionCounter(procfs: procfs)
        self.prepareThread = prepareThread
    }

    /// The latest report; nil before the first.
    package var current: PassiveReport? { state.read { $0.current } }

    /// Why there are no reports at the moment; nil: there are.
    package var failure: String? { state.read { $0.failure } }

    package var statistics: PassiveStatistics { state.read { $0.statistics } }

    /// From now on connections count that leave through these devices, by index; nil: all.
    package func follow(devices: Set<Int>?) { state.withLock { $0.devices = devices } }

    /// Forgets the latency: the uplink has changed.
    package func restartWindow() { state.withLock { $0.statistics.restartWindow() } }

    /// Observes until the task is cancelled; one call at a time.
    ///
    /// After an error of the kernel it tries again after each interval.
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

    /// The reports from now on that `report()` has not returned: each dump is delivered once, here or there.
    ///
    /// While there are readers, retransmissions are looked at, so that a dump shows why.
    package func reports() -> AsyncStream<PassiveReport> {
        defer { state.read { $0.mailbox }?.post(nil) { $0 == nil } }
        return unrequested.values()
    }

    /// Makes a report now; nil while the observer does not run, and on an error of the kernel.
    package func report() async -> PassiveReport? {
        await withCheckedContinuation { continuation in
            let mailbox = state.read { $0.mailbox }
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
        var retransmissions = retransmissions
        var nextLook = due
        while true {
            let (messages, isStopped) = mailbox.take()
            let asking = messages.compactMap(\.self)
            if isStopped {
                for continuation in asking { continuation.resume(returning: nil) }
                return
            }
            let now = SuspendingClock.now
            var isNotable = false
            let isRead = unrequested.readerCount > 0
            if isRead, now >= nextLook {
                isNotable = retransmissions.increase() >= Self.notableRetransmissions
                nextLook = now + look
            }
            if !asking.isEmpty || now >= due || isNotable {
                let report = dump(&source, &evidence)
                for continuation in asking { continuation.resume(returning: report) }
                if let report, asking.isEmpty {
                    unrequested.send(report)
                    // It covers the time before a later reader.
                    unrequested.forget()
                }
                let end = SuspendingClock.now
                due = end + interval
                nextLook = max(nextLook, end + Self.rest(after: now.duration(to: end)))
            }
            mailbox.wait(upTo: SuspendingClock.now.duration(to: isRead ? min(due, nextLook) : due))
        }
    }

    /// How long no dump is made out of turn after one that took so long.
    static func rest(after dump: Duration) -> Duration { min(dump * dumpShare, longestRest) }

    func take(_ report: PassiveReport, _ roundTrips: [Duration]) {
        state.withLock { state in
            state.failure = nil
            state.current = report
            state.statistics.add(roundTrips, median: report.medianRTT, at: .now)
        }
    }

    private func dump(_ source: inout FlowSource, _ evidence: inout PassiveEvidence) -> PassiveReport? {
        do {
            let dump = try source.read()
            evidence.devices = state.read { $0.devices }
            let (report, roundTrips) = evidence.take(
                dump.flows,
                own: dump.own,
                neighbours: dump.neighbours,
                addresses: dump.devices,
                at: .now
            )
            take(report, roundTrips)
            return report
        } catch {
            state.withLock { $0.failure = "\(error)" }
            return nil
        }
    }
}

/// The kernel's count of the TCP segments that were sent again, of all connections of a network namespace.
struct RetransmissionCounter {
    private let path: String
    private var last: UInt64?

    init(procfs: String) { path = "\(procfs)/net/snmp" }

    /// How many more there are than at the last call; 0 at the first, and where they cannot be read.
    mutating func increase() -> UInt64 {
        guard let text = SmallFile.text(path), let count = Self.count(in: text) else { return 0 }
        defer { last = count }
        return last.map { count >= $0 ? count - $0 : 0 } ?? 0
    }

    /// The field `RetransSegs` of the two lines that begin with `Tcp:`, names and values.
    static func count(in text: String) -> UInt64? {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Tcp:") }.map { $0.split(separator: " ") }
        guard lines.count == 2, let index = lines[0].firstIndex(of: "RetransSegs"), lines[1].indices.contains(index)
        else { return nil }
        return UInt64(lines[1][index])
    }
}
