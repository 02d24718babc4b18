import Foundation
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealthExporter

struct StatusLineTests {
    @Test(arguments: [
        (Interface.InterfaceType.wifi, "WiFi"), (.cellular, "Cellular"), (.wiredEthernet, "Ethernet"),
        (.other, "another interface"), (.loopback, "another interface"), (.unknown, "an unknown interface"),
    ])
    func `names the interface while online`(type: Interface.InterfaceType, name: String) {
        let state = HealthState.online(over: Interface(name: "dev0", index: 2, type: type))
        #expect(StatusLine.text(state) == "Online via \(name)")
    }

    @Test func `a tunnel is named with the type of its underlying interface`() {
        let state = HealthState.online(over: .tunnel) { $0.underlay = .wifi }
        #expect(StatusLine.text(state) == "Online via WiFi")
    }

    @Test(arguments: [
        (Path.UnsatisfiedReason?.some(.noRoute), "Offline: no route"), (.linkDown, "Offline: link down"),
        (.policyDenied, "Offline: policy denied"), (nil, "Offline: disconnected"),
    ])
    func `names the reason while offline`(reason: Path.UnsatisfiedReason?, expected: String) {
        #expect(StatusLine.text(.offline(reason)) == expected)
    }

    private func line(from last: HealthState?, to state: HealthState) -> String? {
        Transition(from: last, to: state).map { StatusLine.text($0, state) }
    }

    private func path(_ state: InternetState?, cause: InternetCause? = nil) -> HealthState {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        let verdict = state.map { InternetVerdict(state: $0, cause: cause, evidenceAt: .now, generation: 1) }
        return HealthState(path: path, internet: verdict, expectsVerdict: true, timestamp: .now)
    }

    @Test func `a path that came back is not verified yet, without an outage`() {
        let unverified = "Connected via Ethernet (eth0), the internet is not verified yet"
        #expect(line(from: nil, to: path(nil)) == unverified)
        #expect(line(from: .offline(), to: path(.unknown)) == unverified)
        #expect(StatusLine.text(path(.unknown)) == "Connected via Ethernet, the internet is not verified yet")
    }

    @Test func `checks that this machine hinders are said to be hindered`() {
        var unknown = path(.unknown)
        unknown.internet?.isHindered = true
        #expect(StatusLine.text(unknown).hasSuffix("not verified yet: a limit of this machine prevents its checks"))
        var online = path(.online)
        online.internet?.isHindered = true
        let sentence = StatusSentence.text(online, routerAnswers: nil)
        #expect(sentence.hasSuffix(", not checked at present: a limit of this machine prevents it."))
    }

    @Test func `what the exporter of the host does not know is said to be unknown there`() {
        var unknown = path(.unknown)
        unknown.internet?.isUnknownToHost = true
        #expect(
            StatusLine.text(unknown).hasSuffix("not verified yet: the exporter of the host does not know its state")
        )
    }

    @Test func `a path that has not settled after the start is connecting`() {
        let path = Path(status: .requiresConnection, unsatisfiedReason: .connecting)
        let state = HealthState(path: path, isSettling: true, timestamp: .now)
        #expect(StatusLine.text(state) == "Connecting")
        #expect(line(from: nil, to: state) == "Connecting")
        #expect(line(from: state, to: .online(over: .wifi)) == "Online via WiFi (wlan0), quality good")
    }

    @Test func `a transition names the interface and the quality`() {
        #expect(line(from: path(nil), to: path(.online)) == "Online via Ethernet (eth0), quality good")
        var one = path(.degraded)
        one.internet?.degradedReasons = [.loss]
        #expect(line(from: path(.online), to: one) == "Online via Ethernet (eth0), losing packets, quality good")
        #expect(line(from: path(.online), to: path(.online)) == nil)
        #expect(
            line(from: path(.online), to: path(.tlsUntrusted))
                == "Online via Ethernet (eth0), certificates are not trusted, quality good"
        )
        one.internet?.degradedReasons = [.certificate]
        #expect(
            line(from: path(.online), to: one)
                == "Online via Ethernet (eth0), the certificate of one host is not trusted, quality good"
        )
        var denied = path(.tlsUntrusted, cause: .tlsUntrusted)
        denied.outage = Outage(.tlsUntrusted, since: .now)
        #expect(line(from: path(.online), to: denied) == "Offline: tls untrusted (cause: tls_untrusted)")
    }

    @Test func `an outage has its cause, and its end the duration and the cause`() {
        let start = SuspendingClock().now
        var during = path(.noInternet)
        during.outage = Outage(.gateway, since: start)
        #expect(line(from: path(.online), to: during) == "Offline: no internet (cause: gateway)")
        for (seconds, text) in [(0.44, "0.4 s"), (42.4, "42 s"), (119, "119 s"), (125, "2m5s"), (7200, "2h")] {
            var after = path(.online)
            after.outage = Outage(.gateway, since: start, length: .seconds(seconds))
            #expect(line(from: during, to: after) == "Online again via Ethernet (eth0) after \(text) (cause: gateway)")
        }
    }

    @Test func `a cost that no source knows has an advice`() {
        func advice(_ source: CostSource, followsHost: Bool = false) -> String? {
            let path = HealthState.online(over: .wifi) { $0.expensiveSource = source }.path
            return StatusLine.costAdvice(path, followsHost: followsHost)
        }
        #expect(advice(.assumed) == "Cost of wlan0 is assumed to be free; set --path.expensive if it is not")
        #expect(advice(.unknown)?.contains("--host.url") == true)
        #expect(advice(.unknown, followsHost: true) == nil, "--host.url is given")
        #expect(advice(.flag) == nil)
    }

    @Test func `the snapshot for people begins with it`() {
        let state = HealthState.online(over: .tunnel) { path in
            path.underlay = .wifi
            path.supportsIPv4 = true
            path.dnsServers = ["192.0.2.1"]
            path.gateways = ["192.0.2.1", "fe80::1%wg0"]
            path.isExpensive = true
            path.expensiveSource = .config
        }
        #expect(
            SnapshotText.text(state) == """
                Online via WiFi
                  interface:     wg0
                  quality:       good (estimated)
                  underlay:      wlan0
                  expensive:     yes (config)
                  constrained:   no (assumed)
                  supports:      IPv4 DNS
                  gateways:      192.0.2.1 fe80::1%wg0

                """
        )
    }
}
