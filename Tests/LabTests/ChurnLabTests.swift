import Foundation
import Lab
import NetworkHealth
import NetworkPath
import Testing

/// Another process changes things as fast as it can; afterwards what we recorded is what the kernel has.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ChurnLabTests {
    @Test func `after churn that interrupts the reading of a list the recorded state is the kernel's`() async throws {
        let links = (0..<40).map { "link add a\($0) type veth peer name b\($0)" }.joined(separator: "\n")
        let host = try await MonitoredHost(links) { $0.driftInterval = .milliseconds(10) }
        try await host.state { $0.isOnline == true }
        let churn = try Churn(host.namespace)
        // How often a list changes while it is read depends on the machine.
        try await host.eventually(within: .seconds(60), "an interrupted reading") {
            let statistics = host.statistics
            return statistics.resyncs[.dumpInterrupted, default: 0] > 0 && statistics.rawEvents[.link, default: 0] > 100
        }
        churn.stop()
        try host.namespace.ip(
            """
            route add default via 198.18.0.1 metric 7
            address add 198.18.5.5/32 dev eth0
            address add 2001:db8::2/64 dev eth0 nodad
            route add default via 2001:db8::1
            """
        )
        try await host.eventually { try await host.agreesWithKernel() }
        let statistics = host.statistics
        print("churn: \(statistics.rawEvents), \(statistics.resyncs), drift \(statistics.drift)")
        #expect(statistics.drift == 0)
        #expect(host.monitor.current?.isOnline == true)
    }

    @Test func `an overrun receive buffer is noticed, and the state is right afterwards`() async throws {
        let host = try await MonitoredHost { $0.receiveBuffer = 4096 }
        try await host.state { $0.isOnline == true }
        // A link that goes takes its addresses with it, each with a message, faster than anybody can read.
        let addresses = (1...300).map { "address add 2001:db8:1::\(String($0, radix: 16))/128 dev m0 nodad" }
        let link = "link add m0 type veth peer name n0\nlink set n0 up\nlink set m0 up\n"
        for _ in 0..<5 {
            try host.namespace.ip(link + addresses.joined(separator: "\n") + "\nlink del m0")
        }
        try await host.eventually("an overrun") { host.statistics.resyncs[.overrun, default: 0] > 0 }
        try await host.eventually("agreement") { try await host.agreesWithKernel() }
    }

    @Test func `carriers and addresses that the kernel announces seconds later are no drift`() async throws {
        let cables = (0..<4).map {
            "link add a\($0) type veth peer name b\($0)\nlink set a\($0) up\nlink set b\($0) up"
        }
        let host = try await MonitoredHost(cables.joined(separator: "\n")) { $0.driftInterval = .milliseconds(10) }
        try await host.state { $0.isOnline == true }
        for change in ["down", "up"] {
            // Each loss right after another one waits for linkwatch's next second.
            for number in 0..<4 { try host.namespace.ip("link set b\(number) \(change)") }
            let checks = host.statistics.resyncs[.periodic, default: 0]
            try await host.eventually { try await host.agreesWithKernel() }
            try await host.eventually { host.statistics.resyncs[.periodic, default: 0] > checks + 100 }
        }
        #expect(host.statistics.drift == 0)
    }

    @Test func `a quiet host shows no drift`() async throws {
        let host = try await MonitoredHost { $0.driftInterval = .milliseconds(10) }
        try await host.eventually { host.statistics.resyncs[.periodic, default: 0] > 50 }
        try host.namespace.ip("route add default via 198.18.0.1 metric 9\nlink set eth0 mtu 1400")
        try await host.eventually { host.statistics.resyncs[.periodic, default: 0] > 100 }
        #expect(host.statistics.drift == 0)
    }
}

extension MonitoredHost {
    /// Whether links, addresses and default routes are those that ip(8) prints.
    fileprivate func agreesWithKernel() async throws -> Bool {
        guard let state = await path.recordedState() else { return false }
        let theirs = try KernelListing(namespace)
        return theirs == KernelListing(state)
    }
}
