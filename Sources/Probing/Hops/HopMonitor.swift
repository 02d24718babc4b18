package import Coordination
package import Posix
package import Statistics

/// Probes the routers on the way to the internet, and keeps what they answer: the shell around `HopTable`.
///
/// It sends only while it runs, and once it has a path.
package final class HopMonitor: Sendable {
    /// The longest sleep; a change ends it earlier.
    private static let idleSleep = Duration.seconds(3600)

    /// The families whose first router behind this host's has become another one, while the path is the same.
    package let moves = Broadcast(ofEvents: AddressFamily.self)
    let table: Locked<HopTable>
    private let probing: any HopProbing
    private let refusals: RefusalLog
    private let stopwatch: Stopwatch
    private let alarm: Alarm
    private let onRound: @Sendable (IPAddress) -> Void
    private let onChange: @Sendable () -> Void

    /// - Parameters:
    ///   - configuration: how far, and how often.
    ///   - probing: sends the probes.
    ///   - refusals: the errors of routers to these and to other probes.
    ///   - clock: measures the intervals; the default stops while the machine is suspended.
    ///   - onChange: called after each probe that ended; must not block.
    ///   - onRound: called with the destination of each round of probes as it begins; must not block.
    package init(
        _ configuration: HopConfiguration,
        probing: any HopProbing,
        refusals: RefusalLog,
        clock: some Clock<Duration> = SuspendingClock(),
        onChange: @escaping @Sendable () -> Void = {},
        onRound: @escaping @Sendable (IPAddress) -> Void = { _ in }
    ) {
        table = Locked(HopTable(configuration))
        (self.probing, self.refusals, self.onRound, self.onChange) = (probing, refusals, onRound, onChange)
        let stopwatch = Stopwatch(clock)
        self.stopwatch = stopwatch
        alarm = Alarm(stopwatch)
    }

    /// What is known about each family that has been probed.
    package var reports: [HopReport] {
        table.read { $0.reports }.map { report in
            var report = report
            report.refusals = refusals.newest(report.family)
            return report
        }
    }

    /// What all probes cost, in bytes of IP packets.
    package var traffic: ByteCounts { probing.traffic }

    /// Reports another path, or a changed one: other routers are looked for at once.
    package func pathChanged(_ path: InternetPath) {
        table.change(at: stopwatch, waking: alarm) { $0.change(path, at: $1) }
    }

    /// Reports what decides the intervals.
    package func modeChanged(_ mode: HopMode) {
        table.change(at: stopwatch, waking: alarm) { $0.change(mode, at: $1) }
    }

    /// Applies another configuration.
    package func apply(_ configuration: HopConfiguration) {
        table.change(at: stopwatch, waking: alarm) { $0.apply(configuration, at: $1) }
    }

    /// Probes until the task is cancelled, and then until the last probe has ended.
    package func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let now = stopwatch.elapsed
                let (runs, next) = table.withLock { ($0.start(at: now), $0.next) }
                for destination in Set(runs.map(\.destination)) { onRound(destination) }
                for run in runs { group.addTask { await self.perform(run) } }
                await alarm.sleep(until: next ?? now + Self.idleSleep)
            }
        }
    }

    private func perform(_ run: HopTable.Run) async {
        let sentAt = ContinuousClock.now
        let outcome = await probing.probe(run.turn.distance, to: run.destination, timeout: run.timeout)
        // The silence of a cancelled probe is not one of the network.
        guard !Task.isCancelled else { return }
        let family = run.turn.family
        switch table.withLock({ $0.finish(run, outcome, sentAt: sentAt, at: .now) }) {
        case .doubt: table.change(at: stopwatch, waking: alarm) { $0.lookAgain(family, at: $1) }
        case .moved: moves.send(family)
        case nil: break
        }
        onChange()
    }
}
