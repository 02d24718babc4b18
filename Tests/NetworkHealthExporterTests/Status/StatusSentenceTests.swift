import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Testing

@testable import NetworkHealthExporter

struct StatusSentenceTests {
    private static let ethernet = Interface(name: "eth0", index: 2, type: .wiredEthernet)

    private func path(_ interface: Interface? = ethernet, _ change: (inout Path) -> Void = { _ in }) -> Path {
        var path = Path(status: .satisfied)
        path.interface = interface
        path.gateways = ["192.0.2.1"]
        change(&path)
        return path
    }

    private func text(
        _ internet: InternetState,
        _ cause: InternetCause? = nil,
        _ path: Path? = nil,
        routerAnswers: Bool? = true,
        degraded: Set<DegradedReason> = [],
        faults: [Fault] = []
    ) -> String {
        var verdict = InternetVerdict(state: internet, cause: cause, evidenceAt: .now, generation: 1)
        verdict.degradedReasons = degraded
        let path = path ?? self.path()
        let state = HealthState(path: path, internet: verdict, expectsVerdict: true, timestamp: .now)
        return StatusSentence.text(state, routerAnswers: routerAnswers, faults: faults)
    }

    private func text(_ reason: Path.UnsatisfiedReason?, over interface: Interface? = ethernet) -> String {
        var path = Path(status: .unsatisfied, unsatisfiedReason: reason)
        path.interface = interface
        return StatusSentence.text(HealthState(path: path, timestamp: .now), routerAnswers: nil)
    }

    @Test func `online names the connection, and what is in doubt`() {
        #expect(text(.online) == "Online via Ethernet (eth0).")
        for (reasons, text) in [
            ([.loss], "losing packets"), ([.retransmissions], "losing packets"),
            ([.certificate], "the certificate of one host is not trusted"),
            ([.mtu, .loss], "large packets do not arrive (MTU)"), ([], "impaired"),
        ] as [(Set<DegradedReason>, String)] {
            #expect(self.text(.degraded, degraded: reasons) == "Online via Ethernet (eth0), \(text).")
        }
        #expect(text(.tlsUntrusted) == "Online via Ethernet (eth0), certificates are not trusted.")
    }

    @Test func `before a verdict it claims nothing`() {
        #expect(StatusSentence.text(nil, routerAnswers: nil) == "Starting: the network has not been evaluated yet.")
        #expect(text(.unknown) == "Connected via Ethernet (eth0); the internet is not verified yet.")
        let settling = HealthState(path: Path(status: .unsatisfied), isSettling: true, timestamp: .now)
        #expect(StatusSentence.text(settling, routerAnswers: nil) == "Connecting.")
    }

    @Test func `each cause behind the path names whose fault it is`() {
        #expect(text(.noInternet, .gateway) == "Your router does not answer.")
        #expect(
            text(.noInternet, .upstream)
                == "Your router answers, and nothing on the internet does; where the fault is, is not known."
        )
        #expect(text(.dnsBroken, .dns).hasPrefix("Names lead to no server (DNS); addresses on the internet answer."))
        #expect(text(.captivePortal, .captivePortal).hasPrefix("A login page blocks the connection."))
        #expect(text(.tlsUntrusted, .tlsUntrusted).hasPrefix("Certificates are not trusted:"))
    }

    @Test func `a line without a router has no cable, and no router that answers`() {
        var line = Interface(name: "ppp0", index: 3, type: .wiredEthernet)
        line.isPointToPoint = true
        #expect(text(.linkDown, over: line) == "The line ppp0 is not connected.")
        let path = path(line) { $0.standbyGateways = $0.gateways }
        let verdict = InternetVerdict(state: .noInternet, cause: .upstream, evidenceAt: .now, generation: 1)
        let state = HealthState(path: path, internet: verdict, expectsVerdict: true, timestamp: .now)
        var standby = ProbedTarget()
        standby.probe(2)
        let facts = ConnectionFacts(state: state, router: standby.report)
        #expect(facts.routerAnswers == nil)
        let nothing = "You are connected, and nothing on the internet answers."
        #expect(StatusSentence.text(state, routerAnswers: facts.routerAnswers) == nothing)
    }

    @Test(arguments: FaultLocation.allCases)
    func `the provider is blamed only for what was located at it`(location: FaultLocation) {
        for kind in location.kinds {
            let fault = Fault(location, kind, since: .now, [])
            let texts = [
                text(.noInternet, .upstream, faults: [fault]), text(.online, faults: [fault]),
                text(.noInternet, .upstream, routerAnswers: nil, faults: [fault]),
            ]
            let isBlamed = texts.contains { $0.contains("not your network") }
            #expect(isBlamed == (location == .provider), "\(location), \(kind): \(texts)")
            #expect(texts.allSatisfy { $0.hasSuffix(".") && !$0.hasSuffix("..") }, "\(texts)")
        }
    }

    @Test func `an outage that was located has its place`() {
        func text(_ location: FaultLocation, _ others: Fault...) -> String {
            self.text(.noInternet, .upstream, faults: [Fault(location, .outage, since: .now, [])] + others)
        }
        #expect(
            text(.provider) == "Your provider, not your network: its first router is reached, and nothing behind it."
        )
        #expect(text(.access) == "Your router answers, and your provider does not: the fault is between the two.")
        #expect(text(.internet) == "Your provider answers, and nothing on the internet behind it does.")
        #expect(text(.policy) == "This network blocks the connection.")
        #expect(text(.router) == "Your router does not answer.")
        // A router that answers no pings may pass packets.
        let access = Fault(.access, .outage, since: .now, [])
        #expect(self.text(.noInternet, .gateway, faults: [access]) == text(.access))
        let unknown = "Your router answers, and nothing on the internet does; where the fault is, is not known."
        #expect(text(.unknown) == unknown && text(.destination) == unknown)
        // The cause says more than the place does.
        let name = Fault(.dns, .outage, since: .now, [])
        #expect(self.text(.dnsBroken, .dns, faults: [name]).hasSuffix("Check the DNS servers of this network."))
        let lost = FaultObservation(.missing, at: .now, says: "Packets are lost.")
        let lossy = Fault(.unknown, .outage, since: .now, [lost])
        let doubt = "Names lead to no server (DNS); an address on the internet answers. Packets are lost."
        #expect(self.text(.dnsBroken, .dns, faults: [lossy]) == doubt)
    }

    @Test func `online, the nearest fault of the connection is said with its place, and once`() {
        func text(_ faults: [Fault.Pair], _ state: InternetState = .online, _ reasons: Set<DegradedReason> = [])
            -> String
        {
            let faults = faults.map { Fault($0.location, $0.kind, since: .now, []) }
            return self.text(state, degraded: reasons, faults: faults).replacing("Online via Ethernet (eth0)", with: "")
        }
        #expect(text([.init(.link, .latency)]) == ". Packets are delayed on the cable or Wi-Fi of this computer.")
        #expect(
            text([.init(.access, .loss)], .degraded, [.loss])
                == ". Packets are lost on the line to your provider."
        )
        #expect(text([.init(.provider, .loss)]) == ". Your provider, not your network: packets are lost there.")
        #expect(
            text([.init(.access, .latency)], .degraded, [.certificate])
                == ", the certificate of one host is not trusted. Packets are delayed on the line to your provider."
        )
        let full = FaultObservation(.state, at: .now, says: "The line is full.")
        let share = FaultObservation(.share, at: .now, says: "It uses 5 of 10 Mbit/s.")
        let queue = Fault(.access, .latency, since: .now, [share, full])
        #expect(
            self.text(.online, faults: [queue]).hasSuffix("on the line to your provider. The line is full.")
        )
        #expect(text([.init(.destination, .outage)]) == ".")
        #expect(text([.init(.destination, .outage), .init(.dns, .outage)]) == ". A name server does not work.")
    }

    @Test func `without a located fault nothing is blamed that was not measured`() {
        for answers in [nil, false] as [Bool?] {
            #expect(!text(.noInternet, .upstream, routerAnswers: answers).contains("provider"))
        }
        let direct = path { $0.gateways = [] }
        #expect(
            text(.noInternet, .upstream, direct, routerAnswers: nil)
                == "You are connected, and nothing on the internet answers."
        )
        #expect(text(.noInternet, .upstream, path(.tunnel)) == "Nothing on the internet answers through the VPN (wg0).")
        let container = path { $0.viewpoint = .container }
        #expect(text(.noInternet, .upstream, container).contains("cannot see where the fault is"))
        #expect(text(.noInternet, .gateway, container) == "The network of this container's host does not answer.")
    }

    @Test func `a lost link is a cable, a wireless network or a mobile network`() {
        #expect(text(.linkDown).hasPrefix("The cable of eth0 is not connected,"))
        #expect(text(.linkDown, over: .wifi) == "wlan0 is not connected to a wireless network.")
        #expect(text(.linkDown, over: .cellular) == "wwan0 is not connected to a mobile network.")
        #expect(text(.linkDown, over: nil) == "the network device has no link.")
    }

    @Test func `of a tunnel the link below it is named`() {
        #expect(text(.linkDown, over: .tunnel) == "The link below wg0 is down.")
        var path = Path(status: .unsatisfied, unsatisfiedReason: .linkDown)
        (path.interface, path.lowerInterfaces, path.underlay) = (.tunnel, [.wifi], .wifi)
        let state = HealthState(path: path, timestamp: .now)
        #expect(StatusSentence.text(state, routerAnswers: nil) == "wlan0 is not connected to a wireless network.")
        // A container's host.
        path.lowerInterfaces = []
        path.underlay?.index = 0
        let contained = HealthState(path: path, timestamp: .now)
        #expect(StatusSentence.text(contained, routerAnswers: nil) == "The link below wg0 is down.")
    }

    @Test(arguments: Path.UnsatisfiedReason.allCases)
    func `each reason without a path is one sentence`(reason: Path.UnsatisfiedReason) {
        let text = text(reason)
        #expect(text.hasSuffix(".") && !text.contains("_") && !text.contains("provider"))
        let others = Path.UnsatisfiedReason.allCases.filter { $0 != reason }.map { self.text($0) }
        #expect(!others.contains(text))
    }
}
