import Coordination
import FoundationEssentials
import MicroHTTP
import NetworkHealth
import OfflineQueue
import Probing
import Statistics

/// `/api/v1/status`: everything that the page at `/` shows; the only part that is not in memory is the history.
struct StatusView: Sendable {
    /// Outages that are listed.
    private static let outageLimit = 5

    let health: HealthMonitor
    let targets: TargetMonitor
    let internet: InternetService
    let speedTest: SpeedTestView
    let faults: FaultService
    let uplinks: UplinkService
    let requirements: HealthView
    let queue: QueueService
    let recorder: HistoryRecorder
    let configuration: @Sendable () -> Configuration
    let settings: Settings
    /// Since the start, with suspend; setting the clock does not change it.
    private let running = Stopwatch(.continuous)

    @Sendable func answer(_ request: Request) async -> Response {
        let (now, state) = (Date.now, health.current)
        var document = document(state, at: now)
        do {
            let seconds = now.timeIntervalSince1970
            recorder.count(health.statistics?.outages, time: seconds)
            let hours = try await recorder.uptime(UptimeReport.hours(until: seconds))
            document.set(UptimeReport(hours, now: seconds), try await recorder.lastOutages(Self.outageLimit, in: state))
        } catch {
            recorder.failedToRead(error)
        }
        return .json(document.json)
    }

    /// When being online or offline began; an outage begins with its first evidence, before the state changes.
    private static func since(_ state: HealthState, at now: Date) -> Date? {
        if let outage = state.outage, outage.isOngoing {
            return Date(timeIntervalSince1970: DatedOutage(outage, at: .now, date: now).start)
        }
        return state.isOnline == nil ? nil : state.onlineSince
    }

    /// Without the history.
    private func document(_ state: HealthState?, at now: Date) -> StatusDocument {
        let (configuration, reports) = (configuration(), targets.reports)
        let (sources, instant) = (internet.latencySources, OutcomeWindow.Instant.now)
        let latency = sources.latency(at: instant)
        let section = configuration.internet
        let facts = ConnectionFacts(
            state: state,
            router: reports.first { $0.target.watchesRouter },
            latency: latency,
            lookup: internet.statistics?.lookupTimes.newest(10).median,
            probesInternet: section.isEnabled,
            probesNames: section.configuration.probesNames,
            provider: faults.provider,
            faults: faults.found ?? []
        )
        let (documents, uplinks) = (faults.documents, uplinks.documents)
        let network = SpeedTestNetwork(state)
        let (budget, bytes) = speedTest.service.board.read {
            (BudgetStatus($0, network, at: now), $0.bytesPerMonth(network))
        }
        return StatusDocument(
            startedAt: now - running.elapsed.seconds,
            debug: settings.debug,
            snapshot: state.map {
                SnapshotDocument($0, latency: latency, faults: documents, uplinks: uplinks, at: now)
            },
            since: state.flatMap { Self.since($0, at: now) },
            cause: state?.outage.flatMap { $0.isOngoing ? $0.cause.rawValue : nil },
            summary: StatusSentence.text(state, routerAnswers: facts.routerAnswers, faults: facts.faults),
            stations: facts.stations,
            faults: documents,
            uplinks: uplinks ?? [],
            targets: TargetStatuses(reports),
            speedTest: SpeedTestStatus(speedTest, state?.assessment.measurement, network, at: now),
            budget: budget,
            estimate: bytes.map(SpeedTestText.perMonth),
            requirements: requirements.documents,
            latency: StatusDocument.Latency(latency, age: sources.age(at: instant)),
            hosts: section.contactedHosts,
            queue: StatusDocument.Queue(
                enabled: configuration.offlineQueue.isEnabled,
                pending: queue.pending
            )
        )
    }
}
