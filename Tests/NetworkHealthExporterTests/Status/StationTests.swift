import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Testing

@testable import NetworkHealthExporter

struct StationTests {
    private let ethernet = Interface(name: "eth0", index: 2, type: .wiredEthernet)

    private func path(_ change: (inout Path) -> Void = { _ in }) -> Path {
        var path = Path(status: .satisfied)
        path.interface = ethernet
        path.gateways = ["192.0.2.1"]
        path.dnsServers = ["192.0.2.53", "192.0.2.54"]
        change(&path)
        return path
    }

    private func state(_ internet: InternetState, _ cause: InternetCause? = nil, path: Path? = nil) -> HealthState {
        let verdict = InternetVerdict(state: internet, cause: cause, evidenceAt: .now, generation: 1)
        return HealthState(path: path ?? self.path(), internet: verdict, expectsVerdict: true, timestamp: .now)
    }

    /// A router that was pinged with these results, in milliseconds.
    private func router(_ outcomes: Double?...) -> TargetReport {
        var target = ProbedTarget()
        for outcome in outcomes { target.probe(outcome) }
        return target.report
    }

    /// The states in their order, as one word each.
    private func states(_ facts: ConnectionFacts) -> String {
        facts.stations.map(\.state.rawValue).joined(separator: " ")
    }

    @Test func `the stations are in the order of the way, the provider's where it is watched`() {
        let facts = ConnectionFacts(provider: ProviderHop())
        #expect(facts.stations.map(\.name) == Station.Name.allCases)
        #expect(ConnectionFacts().stations.map(\.name) == [.device, .router, .internet, .dns])
    }

    @Test(arguments: [
        (InternetState.online, InternetCause?.none, "ok ok ok ok"),
        (.degraded, nil, "ok ok impaired ok"),
        (.tlsUntrusted, nil, "ok ok impaired ok"),
        (.tlsUntrusted, .tlsUntrusted, "ok ok failed ok"),
        (.captivePortal, .captivePortal, "ok ok failed unknown"),
        (.dnsBroken, .dns, "ok ok ok failed"),
        (.noInternet, .upstream, "ok ok failed unknown"),
        (.unknown, nil, "ok ok unknown unknown"),
    ])
    func `each verdict has its states`(internet: InternetState, cause: InternetCause?, expected: String) {
        #expect(states(ConnectionFacts(state: state(internet, cause), router: router(2))) == expected)
    }

    @Test func `the router of a standby is not that of a line without one, and below a tunnel it is not known`() {
        func station(isTunnel: Bool) -> Station {
            let path = path { path in
                path.interface?.isTunnel = isTunnel
                path.standbyGateways = path.gateways
            }
            return ConnectionFacts(state: state(.online, path: path), router: router(2)).stations[1]
        }
        #expect(station(isTunnel: false).state == .off && station(isTunnel: false).label == "no router")
        #expect(station(isTunnel: true).state == .unknown)
    }

    @Test func `a silent router hides what is behind it`() {
        let facts = ConnectionFacts(state: state(.noInternet, .gateway), router: router(2, nil))
        #expect(states(facts) == "ok failed failed unknown")
        #expect(facts.stations[1].detail == "does not answer")
        // It may drop pings alone: what is behind it may be what fails.
        var passed = facts
        passed.faults = [Fault(.access, .outage, since: .now, [])]
        #expect(passed.stations[1].state == .ok && passed.stations[1].detail == "does not answer pings")
    }

    @Test func `a router that drops pings has failed only if nothing passes it`() {
        let silent = router(2, nil)
        #expect(states(ConnectionFacts(state: state(.online), router: silent)) == "ok ok ok ok")
        #expect(ConnectionFacts(state: state(.online), router: silent).stations[1].detail == "does not answer pings")
        #expect(ConnectionFacts(state: state(.noInternet, .upstream), router: silent).stations[1].state == .failed)
        #expect(ConnectionFacts(state: state(.noInternet, .upstream)).stations[1].state == .off)
        #expect(ConnectionFacts(state: state(.online)).stations[1].state == .ok)
    }

    @Test func `without a path nothing behind the device is known`() {
        let facts = ConnectionFacts(state: .offline(.linkDown), router: router(2))
        #expect(states(facts) == "failed unknown unknown unknown")
        #expect(facts.stations[0].detail == "link down")
        #expect(states(ConnectionFacts()) == "unknown unknown unknown unknown")
    }

    @Test func `what is not probed is off, and names are not known where only addresses are asked`() {
        let state = HealthState(path: path(), timestamp: .now)
        #expect(states(ConnectionFacts(state: state, router: router(2), probesInternet: false)) == "ok ok off off")
        let online = self.state(.online)
        #expect(states(ConnectionFacts(state: online, router: router(2), probesNames: false)) == "ok ok ok off")
        let direct = self.state(.online, path: path { $0.gateways = [] })
        #expect(ConnectionFacts(state: direct).stations[1].state == .off)
    }

    @Test func `latency is that of the router and of the internet, and makes them slow`() {
        let latency = NetworkLatency(latency: .milliseconds(20))
        let facts = ConnectionFacts(state: state(.online), router: router(2, 4, 3), latency: latency)
        #expect(facts.stations.map(\.latencySeconds) == [nil, 0.003, 0.02, nil])
        let resolved = ConnectionFacts(state: state(.online), lookup: .milliseconds(12)).stations[3]
        #expect(resolved.latencySeconds == 0.012 && resolved.state == .ok)
        #expect(ConnectionFacts(state: state(.online), lookup: .milliseconds(500)).stations[3].state == .slow)
        #expect(
            ConnectionFacts(state: state(.dnsBroken, .dns), lookup: .milliseconds(12)).stations[3].latencySeconds == nil
        )
        let slow = NetworkLatency(latency: .milliseconds(400))
        #expect(states(ConnectionFacts(state: state(.online), router: router(500), latency: slow)) == "ok slow slow ok")
        let lossy = NetworkLatency(latency: .milliseconds(20), lossRatio: 0.2)
        let losing = ConnectionFacts(state: state(.online), latency: lossy).stations[2]
        #expect(losing.state == .impaired && losing.detail == "losing packets" && losing.latencySeconds == 0.02)
        let offline = ConnectionFacts(state: state(.noInternet, .upstream), router: router(2), latency: latency)
        #expect(offline.stations[2].latencySeconds == nil, "of a time when it was online")
    }

    @Test func `labels name the device, the router and the resolver`() {
        let labels = ConnectionFacts(state: state(.online)).stations.map(\.label)
        #expect(labels == ["eth0 · Ethernet", "192.0.2.1", "Internet", "192.0.2.53"])
        let container = state(.online, path: path { $0.viewpoint = .container })
        #expect(ConnectionFacts(state: container).stations[1].detail == "of the container's host")
    }
}
