import Lab
import Posix
import Testing

@testable import Probing

/// Rounds of a process that gets no processor for a while.
@Suite(.timeLimit(.minutes(3)))
struct LateRoundTests {
    @Test func `Checks that would begin when their time is over are not made, and leave the evidence incomplete`()
        async
    {
        let internet = FakeInternet()
        let tools = RoundTools(
            transfers: internet,
            connecting: internet,
            pinging: internet,
            captive: { _ in nil },
            clock: InternetClock(internet.clock),
            record: { _ in }
        )
        let round = FamilyRound(
            family: .ipv4,
            plan: FamilyPlan(depth: .routine),
            gateways: [],
            configuration: .lab,
            tools: tools
        )
        async let evidence = round.perform()
        // The first check, and the patience after which the other operators are asked.
        await internet.clock.sleepers(2)
        internet.clock.advance(by: .seconds(3))
        #expect(await evidence.isIncomplete)
        #expect(internet.seen.requests.count == 1 && internet.seen.connects.isEmpty)
    }
}
