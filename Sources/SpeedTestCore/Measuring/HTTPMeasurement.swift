import Coordination
import HTTPTransfer
package import Posix
import Statistics

/// Measures by plain HTTP/1.1 requests: every dialect but ndt7.
package final class HTTPMeasurement: DirectionMeasuring {
    package let host: String
    let options: SpeedTestOptions
    let transport: any SpeedTestTransport
    let traffic: TrafficMeter
    private let dialect: Locked<any SpeedTestDialect>
    private let wall: ContinuousClock.Instant

    /// Starts the threads of its transfers, and the time limit of the test.
    ///
    /// - Parameters:
    ///   - server: anything but ndt7.
    ///   - options: the limits of the test.
    ///   - account: counts every byte as it moves.
    ///   - userAgent: sent with every request.
    /// - Throws: `unreachable` for an invalid URL, and where threads or descriptors have run out.
    package convenience init(
        server: SpeedTestServer,
        options: SpeedTestOptions,
        account: TrafficAccount,
        userAgent: String
    ) throws(SpeedTestFailure) {
        let transport = try CurlTransport(
            userAgent: userAgent,
            server: server,
            interface: options.interface,
            device: account.device
        )
        try self.init(server, options, account: account, transport: transport)
    }

    init(
        _ server: SpeedTestServer,
        _ options: SpeedTestOptions,
        account: TrafficAccount,
        transport: any SpeedTestTransport
    ) throws(SpeedTestFailure) {
        guard let url = WebURL(server.url), let dialect = server.dialect.dialect else {
            throw SpeedTestFailure(
                .unreachable,
                "\(server.url.debugDescription) is no absolute http or https URL for \(server.dialect.rawValue)"
            )
        }
        host = url.hostPort.description
        self.options = options
        self.transport = transport
        traffic = TrafficMeter(transport, account: account)
        self.dialect = Locked(dialect.init(base: url))
        wall = .now + options.testWall
    }

    deinit { transport.stop() }

    package var serverAddress: IPAddress? { transport.serverAddress }

    package func prepare() async throws(SpeedTestFailure) {
        defer { traffic.update() }
        var copy = dialect.withLock { $0 }
        try await copy.prepare(asking: transport)
        let prepared = copy
        dialect.withLock { $0 = prepared }
    }

    package func idleLatency(
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> IdleLatency {
        defer { traffic.update() }
        let run = IdleRun(dialect: dialect.withLock { $0 }, transport: transport, samples: options.idleSamples)
        return try await run.run(until: wall) { fraction in
            traffic.update()
            progress(SpeedTestProgress(.latency, fraction: fraction))
        }
    }

    package func measure(
        _ direction: Direction,
        idle: IdleLatency?,
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> DirectionReport {
        defer { traffic.update() }
        let wall = min(wall, .now + options.directionWall)
        let dialect = dialect.withLock { $0 }
        // Opens the connection of the probes before the load, and its clock, begin.
        _ = try await transport.ping(dialect, onNewConnection: false)
        let run = LoadRun(direction, dialect, self, idle: idle, wall: wall)
        return try await run.run(progress: progress)
    }
}
