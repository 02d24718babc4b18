import Foundation
import SpeedTestCore

@testable import NetworkHealthExporter

extension SpeedTestServer {
    static let home = SpeedTestServer(name: "home", dialect: .speedlab, url: "http://198.18.0.1:10319/speedtest")
}

extension DirectionReport {
    /// One of so many Mbit/s over 4 s.
    static func of(_ megabits: Double, _ change: (inout DirectionReport) -> Void = { _ in }) -> DirectionReport {
        var report = DirectionReport(
            bytesPerSecond: megabits * 125_000,
            bytes: UInt64(megabits * 500_000),
            window: .seconds(4),
            isStable: true,
            accounting: .receiver,
            streams: 4
        )
        change(&report)
        return report
    }
}

extension SpeedTestReport {
    /// A test that took 12.5 s and found 20 ms, 100 down and 10 up.
    static func good(at time: TimeInterval = 1_700_000_000, server: SpeedTestServer = .home) -> SpeedTestReport {
        var report = SpeedTestReport(
            server: server,
            host: "198.18.0.1:10319",
            startedAt: Date(timeIntervalSince1970: time)
        )
        report.duration = .milliseconds(12_500)
        report.ping = IdleLatency(latency: .milliseconds(20), jitter: .milliseconds(1), minimum: .milliseconds(19))
        report.download = .of(100) {
            $0.loadedLatency = .milliseconds(80)
            $0.responsiveness = 500
            $0.congestionControl = "cubic"
            $0.limits = [.dataCap]
        }
        report.upload = .of(10)
        report.traffic = TrafficAccount.Bytes(received: 60_000_000, transmitted: 7_000_000)
        return report
    }

    /// One that found nobody.
    static func failed(
        _ reason: SpeedTestFailure.Reason = .timeout,
        at time: TimeInterval = 1_700_000_000
    ) -> SpeedTestReport {
        var report = SpeedTestReport(
            server: .home,
            host: "198.18.0.1:10319",
            startedAt: Date(timeIntervalSince1970: time)
        )
        report.failure = SpeedTestFailure(reason, "198.18.0.1:10319 did not answer")
        report.duration = .seconds(5)
        report.traffic = TrafficAccount.Bytes(received: 10, transmitted: 1000)
        return report
    }
}

extension SpeedTestRecord {
    init(_ report: SpeedTestReport, uplink: String = "eth0 198.18.0.254") {
        self.init(report, uplink: uplink, isLatencyOnly: false)
    }
}

extension SpeedTestHistory {
    /// Adds a test to an empty state.
    func add(_ record: SpeedTestRecord) async throws {
        try await add(record) { (SpeedTestScheduler.Memory(), SpeedTestBooks()) }
    }
}
