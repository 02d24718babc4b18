import FoundationEssentials
import HTTPTransfer
package import Posix
import Statistics

/// Runs one test against one server: the latency, then each direction.
package struct SpeedTestEngine: Sendable {
    /// Between two directions, so that the buffers drain.
    private static let pause = Duration.seconds(1)

    private let server: SpeedTestServer
    private let options: SpeedTestOptions
    private let account: TrafficAccount
    private let measuring: Result<any DirectionMeasuring, SpeedTestFailure>

    /// Creates the measurement of the server's dialect.
    ///
    /// - Parameters:
    ///   - server: the server of the test.
    ///   - options: the limits of the test.
    ///   - userAgent: sent with every request.
    ///   - account: counts every byte as it moves.
    package init(
        server: SpeedTestServer,
        options: SpeedTestOptions,
        userAgent: String,
        account: TrafficAccount = TrafficAccount()
    ) {
        self.init(server, options, account) { () throws(SpeedTestFailure) in
            switch server.dialect {
            case .speedlab, .librespeed, .cloudflare, .networkquality:
                try HTTPMeasurement(
                    server: server,
                    options: options,
                    account: account,
                    userAgent: userAgent
                )
            case .ndt7:
                try NDT7Measurement(server: server, options: options, account: account, userAgent: userAgent)
            }
        }
    }

    /// The same on the caller's networking.
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

    /// Runs the test once; cancelling the task ends it with the reason `cancelled`.
    ///
    /// A failure ends it too; the report keeps what was measured before.
    package func run(progress: @Sendable (SpeedTestProgress) -> Void) async -> SpeedTestReport {
        let start = ContinuousClock.now
        let before = account.bytes
        var report = SpeedTestReport(
            server: server.name,
            protocol: server.dialect,
            host: (try? measuring.get())?.host ?? WebURL(server.url)?.hostPort.description ?? server.url,
            startedAt: Date()
        )
        // Also of a test that fails before it knows the address.
        let address = (WebURL(server.url) ?? WebURL(ndt7: server.url))?.hostPort.address
        report.isLocal = server.proxy == nil && address?.isOfThisHost == true
        do throws(SpeedTestFailure) {
            try await measure(into: &report, progress: progress)
        } catch {
            let isCancelled = Task.isCancelled && error.reason != .cancelled
            report.failure = isCancelled ? SpeedTestFailure(.cancelled, "cancelled: \(error.message)") : error
        }
        report.duration = start.duration(to: .now)
        await settle()
        report.traffic = account.bytes.since(before)
        return report
    }

    /// Waits for what is under way, since it counts.
    ///
    /// A test that is cancelled ends soon.
    private func settle() async {
        let limit: Duration? = Task.isCancelled ? .milliseconds(250) : nil
        // In a task that is not cancelled, so that it can sleep.
        await Task(name: "speed test settles") { [account] in await account.settle(upTo: limit) }.value
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
        // A locate service has named it.
        report.host = measuring.host
        if let address = measuring.serverAddress { report.isLocal = address.isOfThisHost }
        SpeedTestScope.current?.tested(isLocal: report.isLocal)
        for (index, direction) in options.directions.enumerated() {
            if index > 0 { try? await Task.sleep(for: Self.pause) }
            if Task.isCancelled { throw SpeedTestFailure(.cancelled, "cancelled before the \(direction.rawValue)") }
            let phase = SpeedTestProgress.Phase(direction)
            progress(SpeedTestProgress(phase, fraction: 0))
            var measured = try await measuring.measure(direction, idle: idle, progress: progress)
            // The server's text becomes a label, so it must be a name.
            if let name = measured.congestionControl, !SpeedTestServer.isCongestionControl(name) {
                measured.congestionControl = nil
            }
            report[direction] = measured
            // The latency was that of a located server which another one has replaced.
            if measuring.host != report.host { (report.host, report.ping) = (measuring.host, nil) }
            // A rate that settles early ends the direction before its maximum time.
            progress(SpeedTestProgress(phase, fraction: 1, rate: measured.rate))
        }
    }
}

/// A way to measure against one server: HTTP transfers, or ndt7's WebSockets.
///
/// Each call ends within the time limits of its options, and soon after its task is cancelled.
package protocol DirectionMeasuring: Sendable {
    /// Host and port of the connections, for the report.
    var host: String { get }

    /// The address that answered; nil before that, and behind a proxy.
    var serverAddress: IPAddress? { get }

    /// Reads what the first measurement requires, such as the server's list of addresses.
    func prepare() async throws(SpeedTestFailure)

    /// The latency of the unloaded path.
    func idleLatency(
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> IdleLatency

    /// Loads one direction and measures it.
    func measure(
        _ direction: Direction,
        idle: IdleLatency?,
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> DirectionReport
}
