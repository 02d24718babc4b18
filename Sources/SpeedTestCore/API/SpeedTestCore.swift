import Statistics

/// Measures the speed of the path to a server.
///
/// ```swift
/// let config = SpeedTestConfig(serverURL: "http://10.0.0.2:10319/speedtest")
/// let result = try await SpeedTestCore.runFullTest(config: config)
/// if let download = result.download { print("\(download.speedMbps) Mbit/s") }
/// ```
///
/// A test moves as many bytes as the path carries in about six seconds in each direction. Cancelling its task ends it.
/// Errors are `NetworkError`s.
public enum SpeedTestCore {
    /// The result of a test; nil for what was not measured.
    public struct SpeedTestResult: Sendable, Equatable {
        /// The latency of the unloaded path.
        public let ping: PingResult?
        /// From the server to this host.
        public let download: TransferResult?
        /// From this host to the server.
        public let upload: TransferResult?

        /// A result, such as that of a mock.
        public init(ping: PingResult? = nil, download: TransferResult? = nil, upload: TransferResult? = nil) {
            self.ping = ping
            self.download = download
            self.upload = upload
        }
    }

    /// Measures the latency, then the download, then the upload.
    ///
    /// - Parameter config: the server.
    /// - Returns: everything that was measured, also where a direction failed.
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

    /// Measures the download, from the server to this host.
    public static func runDownloadTest(config: SpeedTestConfig) async throws -> TransferResult {
        let report = try await run(config, [.download]).result()
        guard let download = report.download else { throw NetworkError.notEnoughData }
        return download
    }

    /// Measures the upload, from this host to the server.
    public static func runUploadTest(config: SpeedTestConfig) async throws -> TransferResult {
        let report = try await run(config, [.upload]).result()
        guard let upload = report.upload else { throw NetworkError.notEnoughData }
        return upload
    }

    /// Runs a full test and reports its progress; the last event is its result.
    ///
    /// The test starts when the first event is awaited. Cancelling the awaiting task ends the test.
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
    /// - Throws: the failure, where no direction has a value.
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

/// The server of a test, and how it is reached.
public struct SpeedTestConfig: Sendable {
    /// The server's root, absolute, http or https.
    public var serverURL: String
    /// The protocol of the server.
    public var `protocol`: SpeedTestProtocol
    /// Performs the requests; unused with `ndt7`, which does not use plain HTTP.
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
