import Coordination
import HTTPTransfer
import Lab
import Posix
import Testing

@testable import Probing

/// Rounds over a network of fakes and a clock that the test moves.
@Suite(.timeLimit(.minutes(3)))
struct InternetRoundTests {
    private func tools(_ internet: FakeInternet, captive: Bool? = nil) -> RoundTools {
        RoundTools(
            transfers: internet,
            connecting: internet,
            pinging: internet,
            captive: { _ in captive },
            clock: InternetClock(internet.clock),
            record: { _ in }
        )
    }

    private func family(
        _ internet: FakeInternet,
        over family: AddressFamily = .ipv4,
        _ plan: FamilyPlan,
        configuration: InternetConfiguration = .lab
    ) -> FamilyRound {
        FamilyRound(
            family: family,
            plan: plan,
            gateways: ["192.0.2.1", "fe80::1%eth0"].compactMap(ProbeContext.Gateway.init)
                .filter { $0.address.family == family },
            configuration: configuration,
            tools: tools(internet)
        )
    }

    @Test func `A good routine round sends one request with the agreed headers`() async throws {
        let internet = FakeInternet(["http://first.example/204": .status(204)])
        let evidence = await family(internet, over: .ipv6, FamilyPlan(depth: .routine)).perform()
        #expect(evidence == FamilyEvidence(checks: [.success]))
        let request = try #require(internet.seen.requests.first)
        #expect(internet.seen.requests.count == 1)
        #expect(request.family == .ipv6)
        #expect(request.usesFreshConnection)
        #expect(request.proxy == nil)
        #expect(request.timeout == .seconds(3))
        #expect(request.headers.contains { $0.name == "Connection" && $0.value == "close" })
        guard case .collect(limit: 4096) = request.sink else {
            Issue.record("more than 4 KiB might be read")
            return
        }
    }

    @Test func `A routine round without answers lasts one timeout`() async {
        let internet = FakeInternet()
        async let evidence = family(internet, FamilyPlan(depth: .routine)).perform()
        // The first check and the patience.
        await internet.clock.sleepers(2)
        internet.clock.advance(by: .seconds(1))
        await internet.clock.sleepers(4)
        #expect(internet.seen.requests.map(\.timeout) == [.seconds(3), .seconds(2), .seconds(2)])
        // The literal ends with the names, not later.
        internet.clock.advance(by: .seconds(2))
        let timeout = ProbeOutcome.failed(.timeout, phase: .connect)
        #expect(
            await evidence
                == FamilyEvidence(checks: [timeout, timeout], https: [timeout], literals: [.failed(.timeout)])
        )
        #expect(internet.seen.pings.isEmpty && internet.seen.connects.count == 1)
    }

    @Test func `A confirming round without answers lasts one timeout, including its cause`() async {
        let internet = FakeInternet(
            [
                "http://first.example/204": .silence(.resolve), "http://second.example/": .silence(.resolve),
                "https://third.example/": .silence(.resolve),
            ]
        )
        async let evidence = family(internet, FamilyPlan(depth: .confirming)).perform()
        await internet.clock.sleepers(5)
        internet.clock.advance(by: .seconds(3))
        let found = await evidence
        #expect(InternetFinding(found) == InternetFinding(state: .noInternet, cause: .gateway))
        #expect(internet.seen.connects == InternetConfiguration.lab.literals.filter { $0.ip.family == .ipv4 })
    }

    @Test func `The second operator is checked while the first does not answer, and ends the round`() async {
        let internet = FakeInternet(["http://second.example/": .status(200, body: "success\n")])
        async let evidence = family(internet, FamilyPlan(depth: .routine)).perform()
        await internet.clock.sleepers(2)
        internet.clock.advance(by: .seconds(1))
        // The first check and HTTPS sleep on.
        await internet.clock.sleepers(2)
        internet.clock.advance(by: .seconds(2))
        #expect(InternetFinding(await evidence) == .online)
    }

    @Test func `Unresolved names and an answering literal address are a broken resolver`() async {
        let internet = FakeInternet(
            [
                "http://first.example/204": .error(.resolve, .resolve),
                "http://second.example/": .error(.resolve, .resolve),
                "https://third.example/": .error(.resolve, .resolve),
            ],
            alive: ["2001:db8::1", "fe80::1"]
        )
        let evidence = await family(internet, over: .ipv6, FamilyPlan(depth: .fresh, asksHTTPS: true)).perform()
        #expect(InternetFinding(evidence) == InternetFinding(state: .dnsBroken, cause: .dns))
        #expect(internet.seen.connects.map(\.description) == ["[2001:db8::1]:443"])
    }

    @Test func `Names that lead nowhere and an answering literal address are a broken resolver, too`() async {
        let internet = FakeInternet([:], alive: ["198.18.0.1"])
        async let evidence = family(internet, FamilyPlan(depth: .confirming)).perform()
        await internet.clock.sleepers(4)
        internet.clock.advance(by: .seconds(3))
        #expect(InternetFinding(await evidence) == InternetFinding(state: .dnsBroken, cause: .dns))
    }

    @Test func `A fresh round finds that the router answers when servers refuse`() async {
        let internet = FakeInternet(
            [
                "http://first.example/204": .error(.refused, .connect),
                "http://second.example/": .error(.refused, .connect),
                "https://third.example/": .error(.refused, .connect),
            ],
            alive: ["192.0.2.1"]
        )
        async let evidence = family(internet, FamilyPlan(depth: .fresh, asksHTTPS: true)).perform()
        // The literal address is silent.
        await internet.clock.sleepers(2)
        internet.clock.advance(by: .seconds(3))
        #expect(InternetFinding(await evidence) == InternetFinding(state: .noInternet, cause: .upstream))
        #expect(internet.seen.pings == [IPAddress("192.0.2.1")])
    }

    @Test func `A router that this machine cannot ping does not void the other evidence, and is not a silent one`()
        async
    {
        let unresolved = FakeInternet.Answer.error(.resolve, .resolve)
        let internet = FakeInternet(
            [
                "http://first.example/204": unresolved, "http://second.example/": unresolved,
                "https://third.example/": unresolved,
            ],
            alive: ["198.18.0.1"],
            local: ["192.0.2.1"]
        )
        let evidence = await family(internet, FamilyPlan(depth: .confirming)).perform()
        #expect(internet.seen.pings == [IPAddress("192.0.2.1")])
        #expect(!evidence.isIncomplete)
        #expect(InternetFinding(evidence) == InternetFinding(state: .dnsBroken, cause: .dns))
    }

    @Test func `Without a route to any host, a router that this machine cannot ping is still a router`() async {
        let unreachable = FakeInternet.Answer.error(.unreachable, .connect)
        let internet = FakeInternet(
            [
                "http://first.example/204": unreachable, "http://second.example/": unreachable,
                "https://third.example/": unreachable,
            ],
            local: ["192.0.2.1"]
        )
        async let found = family(internet, FamilyPlan(depth: .fresh, asksHTTPS: true)).perform()
        await internet.clock.sleepers(2)
        internet.clock.advance(by: .seconds(3))
        let evidence = await found
        #expect(internet.seen.pings == [IPAddress("192.0.2.1")])
        #expect(!evidence.isIncomplete)
        #expect(InternetFinding(evidence) == InternetFinding(state: .noInternet, cause: .upstream))
    }

    @Test func `A check by name that this machine cannot make leaves the evidence incomplete`() async {
        let internet = FakeInternet(
            [
                "http://first.example/204": .error(.local, .connect),
                "http://second.example/": .error(.local, .connect),
                "https://third.example/": .error(.local, .connect),
            ],
            alive: ["192.0.2.1"]
        )
        let evidence = await family(internet, FamilyPlan(depth: .fresh, asksHTTPS: true)).perform()
        #expect(evidence.isIncomplete)
    }

    @Test func `A host that is an address of the other family is not checked`() async {
        var configuration = InternetConfiguration.lab
        configuration.probes = [.init(name: "own", url: "http://192.0.2.9/204", expectation: .status(204))]
        configuration.https = ["https://[2001:db8::9]/"]
        let internet = FakeInternet(["https://[2001:db8::9]/": .status(200)])
        let evidence = await family(internet, over: .ipv6, FamilyPlan(depth: .fresh), configuration: configuration)
            .perform()
        #expect(internet.asked == ["https://[2001:db8::9]/ ipv6"])
        #expect(InternetFinding(evidence) == .online)
    }

    @Test func `A wrong certificate does not count while the clock is wrong`() async {
        var response = TransferResponse(status: 204)
        response.headers = [("date", "Thu, 01 Jan 1970 00:00:00 GMT")]
        let internet = FakeInternet(
            ["http://first.example/204": .response(response), "https://third.example/": .untrusted(.notYetValid)]
        )
        let evidence = await family(internet, FamilyPlan(depth: .routine, asksHTTPS: true)).perform()
        #expect(evidence.isClockWrong)
        #expect(InternetFinding(evidence) == .online)
    }

    @Test func `The second operator is asked about a certificate, over the same proxy and with the same authorities`()
        async
    {
        var configuration = InternetConfiguration.lab
        configuration.https = ["https://third.example/", "https://third.example/again", "https://fourth.example/"]
        configuration.tls.caFile = "/ca.pem"
        configuration.proxy = "http://proxy.example:3128"
        let internet = FakeInternet(
            [
                "http://first.example/204": .status(204), "https://third.example/": .untrusted(.other),
                "https://fourth.example/": .untrusted(.expired),
            ]
        )
        let plan = FamilyPlan(depth: .routine, asksHTTPS: true)
        let evidence = await family(internet, plan, configuration: configuration).perform()
        #expect(InternetFinding(evidence) == InternetFinding(state: .tlsUntrusted))
        #expect(evidence.clockSkew == nil)
        #expect(
            internet.asked == [
                "http://first.example/204 ipv4", "https://fourth.example/ ipv4", "https://third.example/ ipv4",
            ]
        )
        for request in internet.seen.requests {
            #expect(request.tls.caFile == "/ca.pem" && request.proxy == "http://proxy.example:3128")
        }
        internet.change("https://fourth.example/", to: .status(204))
        let again = await family(internet, plan, configuration: configuration).perform()
        #expect(InternetFinding(again) == .untrustedHost)
    }

    @Test func `Both families and the portal are checked concurrently`() async {
        let internet = FakeInternet(
            [
                "http://first.example/204 ipv4": .status(204),
                "http://first.example/204": .error(.unreachable, .connect),
                "http://second.example/": .error(.unreachable, .connect),
                "https://third.example/": .error(.unreachable, .connect),
            ],
            alive: ["2001:db8::1"]
        )
        let plan = FamilyPlan(depth: .routine)
        let round = InternetRound(
            plan: RoundPlan(id: 1, families: [.ipv4: plan, .ipv6: plan], portalURI: "https://portal.example/api"),
            configuration: .lab,
            tools: tools(internet, captive: true)
        )
        let reports = Locked<[RoundReport]>([])
        await round.perform { report in reports.withLock { $0.append(report) } }
        let found = reports.withLock { $0 }
        #expect(found.count == 3)
        #expect(found.contains(.portal(isCaptive: true)))
        #expect(found.contains(.family(.ipv4, FamilyEvidence(checks: [.success]))))
        #expect(internet.asked.filter { $0.hasSuffix("ipv6") }.count == 3)
    }

    @Test func `A portal that does not answer is cancelled after the timeout`() async {
        let internet = FakeInternet(["http://first.example/204": .status(204)])
        let tools = RoundTools(
            transfers: internet,
            connecting: internet,
            pinging: internet,
            captive: { [clock = internet.clock] _ in
                try? await clock.sleep(for: .seconds(3600))
                return true
            },
            clock: InternetClock(internet.clock),
            record: { _ in }
        )
        let round = InternetRound(
            plan: RoundPlan(id: 1, families: [:], portalURI: "https://portal.example/api"),
            configuration: .lab,
            tools: tools
        )
        let reports = Locked<[RoundReport]>([])
        async let end: Void = round.perform { report in reports.withLock { $0.append(report) } }
        await internet.clock.sleepers(2)
        internet.clock.advance(by: .seconds(3))
        await end
        #expect(reports.withLock { $0 } == [.portal(isCaptive: nil)])
    }

    @Test func `A cancelled round ends at once without evidence`() async {
        let internet = FakeInternet()
        let round = family(internet, FamilyPlan(depth: .confirming))
        let task = Task { await round.perform() }
        await internet.clock.sleepers(4)
        task.cancel()
        #expect(await task.value == FamilyEvidence())
    }
}
