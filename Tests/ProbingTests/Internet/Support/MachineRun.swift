import Posix

@testable import Probing

/// Drives the state machine through simulated time: rounds take as long as the world makes them.
struct MachineRun {
    struct Publication: Sendable {
        let at: Double
        let verdict: InternetVerdict
    }

    struct Sent: Sendable {
        let at: Double
        let pulse: Pulse
    }

    struct Round: Sendable {
        let at: Double
        let plan: RoundPlan
    }

    private(set) var machine: InternetStateMachine
    private(set) var now = 0.0
    private(set) var published: [Publication] = []
    private(set) var rounds: [Round] = []
    private(set) var passiveRequests: [Double] = []
    private(set) var pulses: [Sent] = []
    private(set) var mtuSearches: [[AddressFamily: IPAddress]] = []
    /// Whether the beacon is answered at once; nil: it says nothing.
    var beaconAnswers: ((Double) -> Bool)?
    /// Of each family; of IPv4 by default.
    var worlds: [AddressFamily: World] = [:]
    var world: World = .good
    /// The answer to a request for a passive report.
    var passive: (Double) -> PassiveReport? = { _ in nil }
    /// The answer of the portal API.
    var isHeldCaptive: Bool?
    var random = 0.0
    private var running: (id: UInt64, reports: [(at: Double, report: RoundReport)])?

    init(_ configuration: InternetConfiguration = InternetConfiguration()) {
        machine = InternetStateMachine(configuration: configuration)
    }

    /// A run whose first round of the default path is over.
    static func online(
        families: Set<AddressFamily> = [.ipv4],
        _ configuration: InternetConfiguration = InternetConfiguration()
    ) -> MachineRun {
        var run = MachineRun(configuration)
        run.send(.pathChanged(.make(families: families)))
        run.advance(to: 20)
        return run
    }

    /// When the next round is due.
    var deadline: Double? { machine.roundAt.map(Moment.seconds) }
    var isRunning: Bool { running != nil }
    var verdict: InternetVerdict? { machine.published }
    var state: InternetState? { verdict?.state }
    /// The published states in order.
    var states: [InternetState] { published.map(\.verdict.state) }
    var last: Publication? { published.last }

    mutating func send(_ event: InternetStateMachine.Event) {
        for action in machine.handle(event, at: Moment.at(now), random: random) {
            switch action {
            case .requestPassiveReport:
                passiveRequests.append(now)
                send(.passiveReport(passive(now)))
            case .startRound(let plan):
                rounds.append(Round(at: now, plan: plan))
                start(plan)
            case .cancelRound: running = nil
            case .pulse(let pulse):
                pulses.append(Sent(at: now, pulse: pulse))
                beaconAnswers.map { send(.sensed(.beacon(.ipv4), isAlive: $0(now))) }
            case .measureMTU(let addresses): mtuSearches.append(addresses)
            case .publish(let verdict): published.append(Publication(at: now, verdict: verdict))
            }
        }
    }

    /// Lets time pass, with all that happens in it.
    mutating func advance(to end: Double) {
        while let next = nextEvent, next <= end {
            now = max(now, next)
            if let report = running?.reports.first, let id = running?.id, report.at <= now {
                running?.reports.removeFirst()
                if running?.reports.isEmpty == true { running = nil }
                send(.reported(report.report, round: id))
            } else {
                send(.timerFired)
            }
        }
        now = end
    }

    mutating func advance(by seconds: Double) { advance(to: now + seconds) }

    private var nextEvent: Double? {
        [running?.reports.first?.at, machine.deadline.map(Moment.seconds)].compactMap(\.self).min()
    }

    private mutating func start(_ plan: RoundPlan) {
        var reports = plan.families.map { family, familyPlan in
            let (evidence, seconds) = (worlds[family] ?? world).evidence(familyPlan)
            return (at: now + seconds, report: RoundReport.family(family, evidence))
        }
        if plan.portalURI != nil { reports.append((at: now + 0.1, report: .portal(isCaptive: isHeldCaptive))) }
        running = (plan.id, reports.sorted { $0.at < $1.at })
    }
}
