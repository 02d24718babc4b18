import Statistics

/// Measures how fast the way to a server and back is.
///
/// ```swift
/// let config = SpeedTestConfig(serverURL: "http://10.0.0.2:10319/speedtest")
/// let result = try await SpeedTestCore.runFullTest(config: config)
/// if let download = result.download { print("\(download.speedMbps) Mbit/s") }
/// ```
///
/// A test moves as many bytes as the path carries in about six seconds each way. Cancelling its task ends it. Errors are
/// `NetworkError`s.
public enum SpeedTestCore {
    /// What a test found; nil for what was not measured.
    public struct SpeedTestResult: Sendable, Equatable {
        /// The unloaded path.
        public let ping: PingResult?
        /// The way here.
        public let download: TransferResult?
        /// The way there.
        public let upload: TransferResult?

        /// A result, such as one that a test makes up.
        public init(ping: PingResult?, download: TransferResult?, upload: TransferResult?) {
            self.ping = ping
            self.download = download
            self.upload = upload
        }
    }

    /// Measures the latency, then the download, then the upload.
    ///
    /// - Parameter config: the server.
    /// - Returns: all that was measured, also where a direction failed.
    /// - Throws: a `NetworkError` where neither direction has a value, or where the task was cancelled.
    public static func runFullTest(config: SpeedTestConfig) async throws -> SpeedTestResult {
        try await run(config, [.download, .upload]).result()
    }

    /// Measures the latency of the unloaded path.
    public static func runPingTest(config: SpeedTestConfig) async throws -> PingResult {
        let report = try await run(config, []).result()
        guard let ping = report.ping else { throw NetworkError.notEnoughData }
        return ping
    }

    /// Measures the way from the server to this host.
    public static func runDownloadTest(config: SpeedTestConfig) async throws -> TransferResult {
        let report = try await run(config, [.download]).result()
        guard let download = report.download else { throw NetworkError.notEnoughData }
        return download
    }

    /// Measures the way from this host to the server.
    public static func runUploadTest(config: SpeedTestConfig) async throws -> TransferResult {
        let report = try await run(config, [.upload]).result()
        guard let upload = report.upload else { throw NetworkError.notEnoughData }
        return upload
    }

    /// Runs a full test and tells how it goes; the last event is its result.
    ///
    /// The test starts with the first event that is asked for. Cancelling the task that asks ends the test.
    ///
    /// ```swift
    /// for try await event in SpeedTestCore.events(config: config) {
    ///     if case .progress(let phase, let fraction, _) = event { print(phase, fraction) }
    /// }
    /// ```
    public static func events(
        config: SpeedTestConfig
    ) -> some AsyncSequence<SpeedTestEvent, any Error> & Sendable {
        SpeedTestEvents(config: config)
    }

    static func run(
        _ config: SpeedTestConfig,
        _ directions: [Direction],
        progress: @Sendable (SpeedTestProgress) -> Void = { _ in }
    ) async -> SpeedTestReport {
        let server = SpeedTestServer(name: config.serverURL, dialect: config.protocol, url: config.serverURL)
        var options = SpeedTestOptions()
        options.directions = directions
        let isOurs = config.networking is TransferNetworking || config.protocol == .ndt7
        let engine =
            isOurs
            ? SpeedTestEngine(server: server, options: options, userAgent: TransferNetworking.userAgent)
            : SpeedTestEngine(server, options, on: config.networking)
        return await engine.run(progress: progress)
    }
}

extension SpeedTestReport {
    /// - Throws: the failure, where there is no direction's value beside it.
    func result() throws(NetworkError) -> SpeedTestCore.SpeedTestResult {
        if let failure, failure.reason == .cancelled || download == nil && upload == nil { throw NetworkError(failure) }
        return SpeedTestCore.SpeedTestResult(
            ping: ping.map { PingResult(latency: $0.latency.seconds, jitter: $0.jitter.seconds) },
            download: download.map(TransferResult.init),
            upload: upload.map(TransferResult.init)
        )
    }
}

extension TransferResult {
    fileprivate init(_ report: DirectionReport) {
        self.init(
            speedMbps: report.rate.megabits,
            bytesTransferred: Int(clamping: report.bytes),
            duration: report.window.seconds
        )
    }
}

/// Which server a test uses, and how it is reached.
public struct SpeedTestConfig: Sendable {
    /// The server's root, absolute, http or https.
    public var serverURL: String
    /// What the server understands.
    public var `protocol`: SpeedTestProtocol
    /// Who performs the requests; of no effect with `ndt7`, which is no plain HTTP.
    public var networking: any SpeedTestNetworking

    /// A test against this server.
    public init(
        serverURL: String,
        protocol: SpeedTestProtocol = .speedlab,
        networking: any SpeedTestNetworking = TransferNetworking()
    ) {
        self.serverURL = serverURL
        self.protocol = `protocol`
        self.networking = networking
    }
}
