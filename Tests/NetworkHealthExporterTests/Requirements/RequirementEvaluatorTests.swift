import Coordination
import NetworkPath
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(1)))
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
