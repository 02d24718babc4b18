import Foundation
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealthExporter

/// Where the page draws a fault.
struct FaultMarkTests {
    private func path(_ change: (inout Path) -> Void = { _ in }) -> Path {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        (path.gateways, path.dnsServers) = (["192.0.2.1"], ["192.0.2.53"])
        change(&path)
        return path
    }

    private func state(_ internet: InternetState, _ cause: InternetCause? = nil, _ path: Path? = nil) -> HealthState {
        let verdict = InternetVerdict(state: internet, cause: cause, evidenceAt: .now, generation: 1)
        return HealthState(path: path ?? self.path(), internet: verdict, expectsVerdict: true, timestamp: .now)
    }

    private func stations(
        _ state: HealthState,
        _ faults: Fault.Pair...,
        provider: ProviderHop? = ProviderHop()
    ) -> [Station] {
        var facts = ConnectionFacts(state: state, provider: provider)
        facts.faults = faults.map { Fault($0.location, $0.kind, since: .now, []) }
        return facts.stations
    }

    /// The stations whose stretch is marked, and how.
    private func ways(_ stations: [Station]) -> [Station.Name: Station.State] {
        Dictionary(uniqueKeysWithValues: stations.compactMap { one in one.way.map { (one.name, $0) } })
    }

    @Test(arguments: [
        (FaultLocation.link, Station.Name.router), (.access, .provider), (.provider, .internet),
        (.vpn, .internet),
    ])
    func `a fault between two stations marks the stretch between them`(place: FaultLocation, end: Station.Name) {
        #expect(ways(stations(state(.noInternet, .upstream), .init(place, .outage))) == [end: .failed])
        #expect(ways(stations(state(.online), .init(place, .loss))) == [end: .impaired])
        #expect(ways(stations(state(.online), .init(place, .latency))) == [end: .slow])
    }

    @Test(arguments: [
        (FaultLocation.host, FaultKind.latency, Station.Name.device), (.router, .outage, .router),
        (.internet, .loss, .internet), (.policy, .outage, .internet), (.dns, .outage, .dns),
    ])
    func `a fault at a station makes that one worse`(place: FaultLocation, kind: FaultKind, name: Station.Name)
        throws
    {
        let stations = stations(state(.online), .init(place, kind))
        #expect(ways(stations).isEmpty)
        let marked = stations.filter { ![.ok, .off].contains($0.state) }
        #expect(marked.map(\.name) == [name])
        #expect(try #require(marked.first).detail?.isEmpty == false)
        // What still works is not said to have failed.
        #expect(marked.first?.state == (kind == .latency ? .slow : .impaired))
    }

    @Test(arguments: [FaultLocation.destination, .unknown])
    func `what is not on the way, or not located, marks nothing`(place: FaultLocation) {
        let state = state(.noInternet, .upstream)
        #expect(stations(state, .init(place, .outage)) == stations(state))
    }

    @Test func `every place but these has a mark, at the host and in a container`() {
        for viewpoint in Path.Viewpoint.allCases {
            let unmarked = FaultLocation.allCases.filter { FaultMark($0, in: viewpoint) == nil }
            #expect(unmarked == [.destination, .unknown])
        }
        #expect(FaultMark(.host, in: .container) == .station(.router))
        #expect(FaultMark(.link, in: .container) == .way(to: .internet))
    }

    @Test func `the provider is reached where the fault is behind it, and else not known while nothing passes`() {
        let hop = ProviderHop(address: IPAddress("198.51.100.1"), latency: .milliseconds(9))
        let offline = state(.noInternet, .upstream)
        func provider(_ place: FaultLocation?, _ state: HealthState) -> Station {
            let faults = place.map { [Fault.Pair($0, .outage)] } ?? []
            let all = faults.isEmpty ? stations(state, provider: hop) : stations(state, faults[0], provider: hop)
            return all[2]
        }
        #expect(provider(.access, offline).state == .unknown && provider(.access, offline).latencySeconds == nil)
        #expect(provider(nil, offline).state == .unknown)
        let blamed = provider(.provider, offline)
        #expect(blamed.state == .impaired && blamed.latencySeconds == 0.009 && blamed.label == "198.51.100.1")
        #expect(blamed.detail == "nothing behind it")
        #expect(provider(.internet, offline).state == .ok)
        let online = provider(nil, state(.online))
        #expect(online.state == .ok && online.latencySeconds == 0.009 && online.detail == nil)
        #expect(stations(state(.online))[2].label == "provider")
    }

    @Test func `a router that does not answer pings is well where the fault is behind it`() {
        var target = ProbedTarget()
        for outcome in [2, nil] as [Double?] { target.probe(outcome) }
        var facts = ConnectionFacts(state: state(.noInternet, .upstream), router: target.report)
        #expect(facts.stations[1].state == .failed)
        facts.faults = [Fault(.access, .outage, since: .now, [])]
        #expect(facts.stations[1].state == .ok && facts.stations[1].detail == "does not answer pings")
    }

    @Test func `without the provider's station, as in a container, the stretch ends at the internet`() {
        let state = state(.noInternet, .upstream, path { $0.viewpoint = .container })
        #expect(ways(stations(state, .init(.access, .outage), provider: nil)) == [.internet: .failed])
    }

    @Test func `of two faults at one place the nearer one decides, and others have their own marks`() {
        let both = stations(state(.online), .init(.link, .loss), .init(.link, .latency), .init(.dns, .outage))
        #expect(ways(both) == [.router: .impaired])
        #expect(both.last?.state == .impaired && both.last?.detail == "a server does not work")
    }
}
