import FoundationEssentials
import HTTPTransfer
import Posix

/// Runs one whole test against one server: the latency, then each direction.
package struct SpeedTestEngine: Sendable {
    /// So that what the first direction has left in the buffers drains.
    private static let pause = Duration.seconds(1)

    private let server: SpeedTestServer
    private let options: SpeedTestOptions
    private let account: TrafficAccount
    private let measuring: Result<any DirectionMeasuring, SpeedTestFailure>

    /// Makes what measures in the server's dialect.
    ///
    /// - Parameters:
    ///   - server: whom to measure against.
    ///   - options: how much it may do.
    ///   - userAgent: sent with every request.
    ///   - account: gets every byte as it moves.
    ///   - deviceBytes: what the path's device has carried, to notice others; nil: nobody looks.
    package init(
        server: SpeedTestServer,
        options: SpeedTestOptions,
        userAgent: String,
        account: TrafficAccount = TrafficAccount(),
        deviceBytes: HTTPMeasurement.DeviceBytes? = nil
    ) {
        self.init(server, options, account) { () throws(SpeedTestFailure) in
            switch server.dialect {
            case .speedlab, .librespeed, .cloudflare, .networkquality:
                try HTTPMeasurement(
                    server: server,
                    options: options,
                    account: account,
                    userAgent: userAgent,
                    deviceBytes: deviceBytes
                )
            case .ndt7:
                try NDT7Measurement(server: server, options: options, account: account, userAgent: userAgent)
            }
        }
    }

    /// The same on somebody's own networking.
    init(_ server: SpeedTestServer, _ options: SpeedTestOptions, on networking: any SpeedTestNetworking) {
        let account = TrafficAccount()
        self.init(server, options, account) { () throws(SpeedTestFailure) in
            try HTTPMeasurement(server, options, account: account, transport: CustomTransport(networking: networking))
        }
    }

    init(
        _ server: SpeedTestServer,
        _ options: SpeedTestOptions,
        _ account: TrafficAccount,
        measuring make: () throws(SpeedTestFailure) -> any DirectionMeasuring
    ) {
        self.server = server
        self.options = options
        self.account = account
        do throws(SpeedTestFailure) { measuring = .success(try make()) } catch { measuring = .failure(error) }
    }

    /// Runs it once; cancelling the task ends it with the reason `cancelled`.
    ///
    /// A failure ends it too, and what was measured before stays in the report.
    package func run(progress: @Sendable (SpeedTestProgress) -> Void) async -> SpeedTestReport {
        let start = ContinuousClock.now
        let before = account.bytes
        var report = SpeedTestReport(
            server: server,
            host: (try? measuring.get())?.host ?? WebURL(server.url)?.hostPort.description ?? server.url,
            startedAt: Date()
        )
        do throws(SpeedTestFailure) {
            try await measure(into: &report, progress: progress)
        } catch {
            let isCancelled = Task.isCancelled && error.reason != .cancelled
            report.failure = isCancelled ? SpeedTestFailure(.cancelled, "cancelled: \(error.message)") : error
        }
        report.duration = start.duration(to: .now)
        let after = account.bytes
        report.traffic = TrafficAccount.Bytes(
            received: after.received &- before.received,
            transmitted: after.transmitted &- before.transmitted
        )
        return report
    }

    private func measure(
        into report: inout SpeedTestReport,
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) {
        let measuring = try measuring.get()
        progress(SpeedTestProgress(.connecting, fraction: 0))
        try await measuring.prepare()
        progress(SpeedTestProgress(.latency, fraction: 0))
        let idle = try await measuring.idleLatency(progress: progress)
        report.ping = idle
        for (index, direction) in options.directions.enumerated() {
            if index > 0 { try? await Task.sleep(for: Self.pause) }
            if Task.isCancelled { throw SpeedTestFailure(.cancelled, "cancelled before the \(direction.rawValue)") }
            let phase: SpeedTestProgress.Phase = direction == .download ? .download : .upload
            progress(SpeedTestProgress(phase, fraction: 0))
            var measured = try await measuring.measure(direction, idle: idle, progress: progress)
            // What a server says may be anything, and this becomes a label.
            if let name = measured.congestionControl, !SpeedTestServer.isCongestionControl(name) {
                measured.congestionControl = nil
            }
            report[direction] = measured
            // A rate that settles early ends the direction before its longest time.
            progress(SpeedTestProgress(phase, fraction: 1, bytesPerSecond: measured.bytesPerSecond))
        }
    }
}
