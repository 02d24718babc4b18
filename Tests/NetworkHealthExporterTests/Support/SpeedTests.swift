import Foundation
import NetworkHealth
import NetworkPath
import SpeedTestCore
import Statistics

@testable import NetworkHealthExporter

extension SpeedTestServer {
    static let home = SpeedTestServer(name: "home", dialect: .speedlab, url: "http://198.18.0.1:10319/speedtest")
}

extension Plans {
    /// One of the line.
    static func of(
        uplink: String = "",
        download: SpeedPlan.Rates = .init(),
        upload: SpeedPlan.Rates = .init()
    ) -> Plans {
        Plans(line: PlanSection(uplink: uplink, speeds: SpeedPlan(download: download, upload: upload)))
    }
}

extension SpeedTestState {
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// With one server and the defaults, at `start`.
    static func home(
        _ saved: SpeedTestHistory.Saved = SpeedTestHistory.Saved(),
        _ change: (inout SpeedTestSection) -> Void = { _ in }
    ) -> SpeedTestState {
        var section = SpeedTestSection()
        section.isEnabled = true
        section.servers = [.home]
        change(&section)
        return SpeedTestState(section: section, saved: saved, now: start)
    }
}

extension SpeedTestNetwork {
    /// Over the uplink of the reports below.
    static func online(_ change: (inout SpeedTestNetwork) -> Void = { _ in }) -> SpeedTestNetwork {
        var network = SpeedTestNetwork()
        network.isKnown = true
        network.isOnline = true
        network.uplink = "eth0 198.18.0.254"
        change(&network)
        return network
    }
}

extension PathUpdate {
    /// The path over the uplink of the tests below.
    static var measured: PathUpdate {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        path.gateways = ["198.18.0.254"]
        return PathUpdate(path: path, changes: [], generation: 1, evidenceAt: .now, publishedAt: .now)
    }
}

extension DirectionReport {
    /// One of so many Mbit/s over 4 s.
    static func of(_ megabits: Double, _ change: (inout DirectionReport) -> Void = { _ in }) -> DirectionReport {
        var report = DirectionReport(
            rate: .megabits(megabits),
            bytes: UInt64(megabits * 500_000),
            window: .seconds(4),
            uncertainty: 0.01
        )
        change(&report)
        return report
    }
}

extension SpeedTestReport {
    /// A test that took 12.5 s and found 20 ms, 100 down and 10 up.
    static func good(
        at time: TimeInterval = 1_700_000_000,
        server: SpeedTestServer = .home,
        uplink: String = "eth0 198.18.0.254"
    ) -> SpeedTestReport {
        var report = SpeedTestReport(
            server: server.name,
            protocol: server.dialect,
            host: "198.18.0.1:10319",
            startedAt: Date(timeIntervalSince1970: time)
        )
        report.uplink = uplink
        report.duration = .milliseconds(12_500)
        report.ping = IdleLatency(latency: .milliseconds(20), jitter: .milliseconds(1))
        report.download = .of(100) {
            $0.loadedLatency = .milliseconds(80)
            $0.responsiveness = 500
            $0.congestionControl = "cubic"
            $0.limits = [.dataCap]
        }
        report.upload = .of(10)
        report.traffic = ByteCounts(received: 60_000_000, transmitted: 7_000_000)
        return report
    }

    /// One whose download filled the queue of the access.
    static var queued: SpeedTestReport {
        var report = good()
        report.download?.queue = .access
        report.upload?.queue = .nowhere
        report.download?.limits = [.linkSpeed]
        report.download?.otherTraffic = .megabits(0.3)
        report.link = Link(type: "ethernet", speedMbps: 1000)
        return report
    }

    /// A test that got no answer.
    static func failed(
        _ reason: SpeedTestFailure.Reason = .timeout,
        at time: TimeInterval = 1_700_000_000,
        uplink: String = "eth0 198.18.0.254"
    ) -> SpeedTestReport {
        var report = SpeedTestReport(
            server: SpeedTestServer.home.name,
            protocol: .speedlab,
            host: "198.18.0.1:10319",
            startedAt: Date(timeIntervalSince1970: time)
        )
        report.uplink = uplink
        report.failure = SpeedTestFailure(reason, "198.18.0.1:10319 did not answer")
        report.duration = .seconds(5)
        report.traffic = ByteCounts(received: 10, transmitted: 1000)
        return report
    }
}

extension SpeedTestHistory {
    /// Adds a test to an empty state.
    func add(_ report: SpeedTestReport) async throws {
        try await save { ([report], (SpeedTestScheduler.Memory(), BudgetAccount())) }
    }
}
