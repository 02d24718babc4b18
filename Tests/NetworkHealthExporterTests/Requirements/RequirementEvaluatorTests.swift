import Coordination
import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3)))
struct RequirementEvaluatorTests {
    private static let wait = Duration.seconds(300)

    private let monitor = HealthMonitor()

    /// One requirement, `call`, which needs the target `broker`.
    private var configuration: Configuration {
        var call = Requirement(name: "call")
        call.targets = ["broker"]
        var configuration = Configuration()
        configuration.requirements.own = [call]
        return configuration
    }

    private func receive(_ path: Path) {
        monitor.receive(PathUpdate(path: path, changes: [], generation: 1, evidenceAt: .now, publishedAt: .now))
    }

    private func waiting(_ evaluator: RequirementEvaluator, for number: Int = 1) async {
        while evaluator.waitCount < number { await Task.yield() }
    }

    @Test func `a change of the state ends a wait with one evaluation, whose verdict is the answer`() async {
        receive(HealthState.online().path)
        let answers = Locked<[Set<String>]>([[], [], [], ["broker"], []])
        let evaluator = RequirementEvaluator(monitor: monitor, configuration: configuration) {
            answers.withLock { $0.removeFirst() }
        }
        async let verdict = evaluator.verdict(.named("call"), within: Self.wait)
        await waiting(evaluator)
        evaluator.evaluate()
        #expect(evaluator.waitCount == 1)
        evaluator.evaluate()
        #expect(await verdict.passed)
        #expect(evaluator.waitCount == 0)
        #expect(
            answers.withLock { $0 } == [[]],
            "one when it was made, one when the wait began, and one for each change"
        )
    }

    @Test func `what is sent meets the requirement of an uplink while it leaves over that`() {
        var (rule, requirement) = (UplinkRule("lte"), Requirement(name: "overLTE"))
        (rule.match.interface, requirement.uplink) = ("eth1", "lte")
        var configuration = Configuration()
        (configuration.uplinks, configuration.requirements.own) = ([rule], [requirement])
        let ways: [WayOut] = [.blocked(0), .testable(1)]
        let board = Locked(
            UplinkBoard(UplinkPlan(rules: [rule], addresses: [SocketAddress("192.0.2.99:443")].compactMap(\.self)))
        )
        let start = SuspendingClock.now
        let evaluator = RequirementEvaluator(
            monitor: monitor,
            configuration: configuration,
            uplinks: { board.read { $0.reports(at: start) } }
        )
        func lead(over way: WayOut, _ generation: UInt64) {
            let path = HealthState.online(over: way.interface).path
            monitor.receive(
                PathUpdate(path: path, changes: [], generation: generation, evidenceAt: .now, publishedAt: .now)
            )
            monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: generation))
            board.withLock { _ = $0.update(ways, monitor.current, at: start) }
        }
        lead(over: ways[0], 1)
        #expect(!evaluator.isMetBySending("overLTE") && evaluator.isMetBySending("online"))
        board.withLock { board in
            for turn in board.start(at: start) { _ = board.finish(turn, UplinkRound(.answered), at: start) }
        }
        #expect(evaluator.verdict(.named("overLTE")).passed && !evaluator.isMetBySending("overLTE"))
        lead(over: ways[1], 2)
        #expect(evaluator.isMetBySending("overLTE"))
        #expect(!evaluator.isMetBySending("nothing"))
    }

    @Test func `a wait ends on the thread that brings the change, before the change returns`() async {
        receive(HealthState.offline().path)
        let evaluator = RequirementEvaluator(monitor: monitor, configuration: Configuration())
        async let named = evaluator.verdict(.named("online"), within: Self.wait)
        async let made = evaluator.verdict(.made(Requirement(name: "custom", quality: .poor)), within: Self.wait)
        await waiting(evaluator, for: 2)
        receive(HealthState.online().path)
        #expect(evaluator.waitCount == 0)
        #expect(await named.passed)
        #expect(await made.passed)
    }

    @Test func `a client that goes away ends its wait`() async {
        receive(HealthState.offline().path)
        let evaluator = RequirementEvaluator(monitor: monitor, configuration: Configuration())
        let task = Task { await evaluator.verdict(.named("online"), within: Self.wait) }
        await waiting(evaluator)
        task.cancel()
        #expect(await task.value.reasons == [.offline])
        #expect(evaluator.waitCount == 0)
        // One that is gone before it waits.
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await evaluator.verdict(.named("online"), within: Self.wait)
        }
        late.cancel()
        #expect(await late.value.reasons == [.offline])
    }

    @Test func `a requirement that a reload adds or changes ends a wait for it`() async {
        receive(HealthState.online().path)
        var configuration = configuration
        let evaluator = RequirementEvaluator(monitor: monitor, configuration: configuration)
        async let verdict = evaluator.verdict(.named("call"), within: Self.wait)
        await waiting(evaluator)
        configuration.requirements.own[0].targets = []
        evaluator.apply(configuration)
        #expect(await verdict.passed)
    }
}
