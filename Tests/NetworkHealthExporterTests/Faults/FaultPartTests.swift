import Coordination
import FoundationEssentials
import NetworkHealth
import NetworkPath
import Posix
import PrometheusExposition
import Statistics
import Testing

@testable import NetworkHealthExporter
@testable import Probing

struct FaultPartTests {
    private let now = ContinuousClock.now

    private func text(_ families: [MetricFamily]) -> String {
        var encoder = ExpositionEncoder()
        return String(decoding: encoder.encode(families, as: .text), as: UTF8.self)
    }

    @Test func `a fault in words names its place and what it does there`() {
        func title(_ location: FaultLocation, _ kind: FaultKind) -> String {
            Fault(location, kind, since: now, []).title
        }
        #expect(title(.access, .outage) == "No connection on the line to your provider")
        #expect(title(.router, .outage) == "Your router does not answer")
        #expect(title(.dns, .latency) == "A name server answers slowly")
        let titles = Fault.Pair.all.map { title($0.location, $0.kind) }
        #expect(Set(titles).count == titles.count)
        #expect(titles.allSatisfy { !$0.hasSuffix(".") && !$0.contains("_") })
    }

    @Test func `a decision gives the state the place of its outage, and is news once`() async throws {
        let fixture = try await CollectorFixture.opened()
        let news = fixture.faults.news.values()
        fixture.receive { ($0.status, $0.unsatisfiedReason) = (.unsatisfied, .linkDown) }
        #expect(fixture.health.current?.outage?.location == .unknown)
        fixture.faults.decide()
        #expect(fixture.health.current?.outage?.location == .link)
        fixture.pass(.seconds(40))
        fixture.faults.decide()
        fixture.goOnline(2)
        #expect(fixture.health.statistics?.lastOutage?.location == .link, "after its end, too")
        fixture.pass(.seconds(2))
        fixture.faults.decide()
        var reader = news.makeAsyncIterator()
        let began = try #require(await reader.next())
        #expect(began.fault.location == "link" && began.fault.kind == "outage" && began.ended == nil)
        #expect(
            began.sentence == "No connection on the cable or Wi-Fi of this computer. Whom to call: \(began.fault.call)."
        )
        #expect(began.fault.evidence == ["The link of the route is down."])
        let ended = try #require(await reader.next())
        #expect(ended.fault.location == "link" && ended.ended != nil && ended.seconds >= 2)
        // The exporter of the host, which this one follows, does not answer: none is not known to be none.
        #expect(try fixture.faults.found == nil && fixture.faults.collectors[0].families().isEmpty)
        #expect(fixture.faults.diagnosis.sentence.hasPrefix("The exporter of the host is silent"))
    }

    @Test func `a link that is back is no fault while the internet behind it is not reached, nor before it is checked`()
        async throws
    {
        let fixture = try await CollectorFixture.opened()
        fixture.receive { ($0.status, $0.unsatisfiedReason) = (.unsatisfied, .linkDown) }
        fixture.faults.decide()
        #expect(fixture.faults.diagnosis.faults.map(\.location) == ["link"])
        fixture.receive(generation: 2)
        fixture.pass(.seconds(5))
        fixture.faults.decide()
        #expect(fixture.faults.diagnosis.faults.isEmpty)
        fixture.receive(internet: .noInternet, generation: 2)
        for _ in 1...2 {
            fixture.pass(.seconds(15))
            fixture.faults.decide()
        }
        #expect(fixture.faults.diagnosis.faults.map(\.location) == ["unknown"])
        // A cable that is pulled in an outage is not its place.
        fixture.goOnline(2)
        fixture.receive(internet: .noInternet, generation: 2)
        fixture.receive(generation: 3) { ($0.status, $0.unsatisfiedReason) = (.unsatisfied, .linkDown) }
        fixture.faults.decide()
        #expect(fixture.faults.diagnosis.faults.map(\.location) == ["link"])
        #expect(fixture.health.current?.outage?.location == .unknown)
    }

    @Test(arguments: ["hops: { enabled: false }", "internet: { enabled: false }"])
    func `a reload without hops, or without checks of the internet, ends the probes`(yaml: String) async throws {
        let fixture = try await CollectorFixture.opened()
        fixture.receive { $0.supportsIPv4 = true }
        fixture.faults.decide()
        #expect(fixture.faults.hops.table.read { $0.next } != nil)
        fixture.faults.apply(try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]))
        fixture.faults.decide()
        #expect(fixture.faults.hops.table.read { $0.next } == nil)
        let both = "internet: { enabled: false }\nhops: { enabled: true }\n"
        fixture.faults.apply(try Configuration.read(Array(both.utf8), file: "test.yml", environment: [:]))
        fixture.faults.decide()
        #expect(fixture.faults.hops.table.read { $0.next } != nil)
    }

    @Test func `after a reload without hops none of those of before is shown`() async throws {
        let fixture = try await CollectorFixture.opened()
        fixture.receive { $0.supportsIPv4 = true }
        fixture.faults.decide()
        fixture.faults.hops.table.withLock { $0.answer(by: "192.0.2.1") }
        #expect(fixture.faults.diagnosis.points.contains { $0.name.hasPrefix("hop 1") })
        let yaml = Array("hops: { enabled: false }".utf8)
        fixture.faults.apply(try Configuration.read(yaml, file: "test.yml", environment: [:]))
        fixture.faults.decide()
        #expect(!fixture.faults.diagnosis.points.contains { $0.name.hasPrefix("hop") })
    }

    @Test func `before the first decision no fault is known not to be there`() async throws {
        let fixture = try await CollectorFixture.opened()
        let (host, targets) = (fixture.host, fixture.targets)
        let service = FaultService(fixture.context, host, targets, fixture.internet, fixture.speedTests, nil)
        service.decide()
        #expect(try service.found == nil && service.collectors[0].families().isEmpty)
        fixture.goOnline()
        service.decide()
        #expect(text(try service.collectors[0].families()).contains(#"{location="link",kind="outage"} 0"#))
    }

    @Test func `what the kernel says of a router that drops pings, and its silence in an outage, are evidence`()
        async throws
    {
        let fixture = try await CollectorFixture.opened()
        let monitor = fixture.targets.monitor
        let router = try #require(ProbeContext.Gateway("192.0.2.1"))
        monitor.apply(targets: [.gateway(every: .seconds(10), isAutomatic: true)], onExpensive: .slow)
        monitor.contextChanged(ProbeContext(gateways: [router]), isNewUplink: false)
        fixture.receive { $0.gateways = ["192.0.2.1"] }
        let reader = EvidenceReader(
            targets: monitor,
            internet: fixture.internet,
            speedTests: fixture.speedTests.board,
            hops: fixture.faults.hops,
            far: FarPings { _ in .cancelled },
            resolvers: fixture.faults.resolvers,
            procfs: "/nowhere"
        )
        func gateway(at second: Int, isNeighbour: Bool) throws -> FaultEvidence.Gateway? {
            let run = try #require(monitor.table.withLock { $0.start(at: .seconds(second)) }.first)
            var result = ProbeResult(failure: .timeout)
            (result.isNeighbour, result.confirmedAt) = (isNeighbour, isNeighbour ? now : nil)
            let ended = result
            _ = monitor.table.withLock { $0.finish(run, ended, startDelay: .zero, date: .now, at: .now) }
            let state = try #require(fixture.health.current)
            return reader.read(state, HopSetup(fixture.context.configuration), DeviceRates(), at: .now).gateway
        }
        let alive = try gateway(at: 10, isNeighbour: true)
        #expect(alive?.isNeighbour == true && alive?.confirmedAt == now && alive?.silences == 0)
        monitor.outageChanged(OutagePeriod(since: .now, isBeyondRouter: false))
        for number in 1...3 {
            let dead = try gateway(at: 10 + 10 * number, isNeighbour: false)
            #expect(dead?.isNeighbour == false && dead?.silences == number && dead?.window.lossesInARow == 0)
        }
    }

    @Test func `each pair of a place and a kind has a gauge and a counter from the start`() {
        let pair = Fault.Pair(.access, .loss)
        let gauges = text(FaultMetrics.faults(.init(found: [pair]))).split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }
        #expect(gauges.count == Fault.Pair.all.count)
        #expect(gauges.filter { $0.hasSuffix(" 1") } == [#"network_health_fault{location="access",kind="loss"} 1"#])
        let counters = text(FaultMetrics.seconds([pair: .milliseconds(1500)]))
        #expect(counters.contains(#"network_health_fault_seconds_total{location="access",kind="loss"} 1.5"#))
        #expect(counters.contains(#"network_health_fault_seconds_total{location="host",kind="outage"} 0"#))
    }

    @Test func `a router has its address, its place, and the median of its last ten answers in seconds`() throws {
        var hop = HopReport.Hop(distance: 2)
        hop.addresses = [try #require(IPAddress("198.51.100.1"))]
        (hop.probes, hop.replies) = (13, 12)
        for number in 0..<2 { hop.window.push(.milliseconds(900), at: now - .seconds(60 - number)) }
        for number in 0..<10 { hop.window.push(.milliseconds(number < 5 ? 10 : 20), at: now - .seconds(20 - number)) }
        let text = text(FaultMetrics.hops([ShownHop(family: .ipv4, hop: hop, location: .access)]))
        let samples = text.split(separator: "\n").filter { !$0.hasPrefix("# HELP") }
        #expect(
            samples == [
                "# TYPE network_health_hop_info gauge",
                #"network_health_hop_info{hop="2",family="ipv4",location="access",address="198.51.100.1"} 1"#,
                "# TYPE network_health_hop_latency_seconds gauge",
                #"network_health_hop_latency_seconds{hop="2",family="ipv4"} 0.015"#,
                "# TYPE network_health_hop_probes_total counter",
                #"network_health_hop_probes_total{hop="2",family="ipv4"} 13"#,
                "# TYPE network_health_hop_replies_total counter",
                #"network_health_hop_replies_total{hop="2",family="ipv4"} 12"#,
            ]
        )
        #expect(FaultMetrics.hops([]).isEmpty)
    }

    @Test func `a name server is up or down once it was asked, and has a duration while it answers`() {
        var reports = ["192.0.2.53", "fe80::53%eth0", "192.0.2.54"].map { ResolverReport(address: $0) }
        (reports[0].isUp, reports[0].duration) = (true, .milliseconds(12))
        reports[1].isUp = false
        let lines = text(FaultMetrics.resolvers(reports.map(ShownResolver.init))).split(separator: "\n")
        #expect(
            lines.filter { !$0.hasPrefix("#") } == [
                #"network_health_resolver_up{resolver="192.0.2.53"} 1"#,
                #"network_health_resolver_up{resolver="fe80::53%eth0"} 0"#,
                #"network_health_resolver_duration_seconds{resolver="192.0.2.53"} 0.012"#,
            ]
        )
        #expect(FaultMetrics.resolvers([]).isEmpty)
    }

    @Test func `a diagnosis names the nearest fault, whom to call, and the evidence with its time`() throws {
        let observation = FaultObservation(
            .silence,
            value: 4,
            threshold: 3,
            at: now - .seconds(5),
            says: "198.51.100.1 is silent."
        )
        let fault = Fault(.access, .outage, since: now - .seconds(10), [observation])
        let date = Date(timeIntervalSince1970: 1000)
        let document = DiagnosisDocument([fault], FaultEvidence(), [], now: now, date: date)
        #expect(document.sentence.hasPrefix("No connection on the line to your provider."))
        #expect(document.sentence.contains(FaultLocation.access.call))
        #expect(document.faults.map(\.since) == [Date(timeIntervalSince1970: 990)])
        #expect(document.faults.map(\.evidence) == [["198.51.100.1 is silent."]])
        #expect(document.evidence.map(\.at) == [Date(timeIntervalSince1970: 995)])
        #expect(document.text.contains("198.51.100.1 is silent."))
        var online = FaultEvidence()
        online.isOnline = true
        let quiet = DiagnosisDocument([], online, [], now: now, date: date)
        #expect(quiet.sentence == "Nothing is wrong that can be seen from here." && quiet.faults.isEmpty)
        var window = OutcomeWindow()
        for second in 1...5 { window.push(nil, at: now - .seconds(6 - second)) }
        online.servers = ["a", "b", "c", "d", "e", "f"].map { FaultEvidence.Server($0, .ipv4, window: window) }
        let failing = DiagnosisDocument([], online, [], now: now, date: date)
        #expect(failing.sentence == "No fault of the connection is known. These fail: a, b, c, d, e and 1 more.")
        let offline = DiagnosisDocument([], .linkDown(since: now), [], now: now, date: date)
        #expect(offline.sentence == "The internet is not reached. Where the fault is, is not known yet.")
        let silent = DiagnosisDocument([], online, [], isHostSilent: true, now: now, date: date)
        #expect(silent.sentence == "The exporter of the host is silent: what is wrong on its way is not known.")
        let unknown = DiagnosisDocument([], FaultEvidence(), [], now: now, date: date)
        #expect(unknown.sentence == "Nothing is known yet.")
    }

    @Test func `a point on the way has its median in milliseconds, and its loss in percent of its probes`() throws {
        var gateway = FaultEvidence.Gateway(try #require(IPAddress("192.0.2.1")))
        for second in 1...20 {
            gateway.window.push(second > 18 ? nil : Duration.microseconds(1234), at: now - .seconds(30 - second))
        }
        var dead = OutcomeWindow()
        for second in 1...4 { dead.push(nil, at: now - .seconds(5 - second)) }
        var known = FaultEvidence()
        (known.gateway, known.servers) = (gateway, [FaultEvidence.Server("far", .ipv6, window: dead)])
        let document = DiagnosisDocument([], known, [], now: now, date: .now)
        #expect(document.points.map(\.rttSeconds) == [0.001234, nil] && document.points.map(\.lossRatio) == [0.1, 1])
        #expect(document.points.map(\.samples) == [20, 4] && document.points.map(\.method) == ["icmp", "probes"])
        let text = """
            On the way:
              router (192.0.2.1) over ipv4: 1.2 ms, 10.0 % of 20 lost
              far over ipv6: no answer, 100.0 % of 4 lost

            """
        #expect(document.text.hasSuffix(text), "\(document.text)")
    }

    @Test func `the keys of hops decide how far, how often and over what is probed`() throws {
        func read(_ yaml: String) throws -> Configuration {
            try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
        }
        #expect(try read("").hops == HopsSection())
        let section = try read(
            "hops: { enabled: true, interval: 1m, max_hops: 6, on_expensive: run, first_provider_hop: 3 }"
        ).hops
        let address = try #require(IPAddress("192.0.2.1"))
        let configuration = section.configuration(towards: [address])
        #expect(section.isEnabled == true)
        #expect(configuration.interval == .seconds(60) && configuration.maxHops == 6)
        #expect(configuration.runsOnExpensive && !configuration.runsOnConstrained)
        #expect(configuration.firstProviderHop == 3 && configuration.destinations == [.ipv4: address])
        let resolvers = section.resolvers(asking: "example.org")
        #expect(resolvers.interval == .seconds(60) && resolvers.name == "example.org")
        #expect(resolvers.runsOnExpensive && !resolvers.runsOnConstrained)
    }
}
