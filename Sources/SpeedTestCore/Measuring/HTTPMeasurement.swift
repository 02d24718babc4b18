import HTTPTransfer
import Locking
import Posix
import Statistics

/// Measures against a server that speaks plain HTTP/1.1: every dialect but ndt7.
package final class HTTPMeasurement: DirectionMeasuring {
    /// What the device of the path has carried so far, by whomever; nil when it is gone.
    package typealias DeviceBytes = @Sendable () -> (received: UInt64, transmitted: UInt64)?

    package let host: String
    let options: SpeedTestOptions
    let transport: any SpeedTestTransport
    let traffic: TrafficMeter
    let deviceBytes: DeviceBytes?
    private let dialect: Locked<any SpeedTestDialect>
    private let wall: ContinuousClock.Instant

    /// Starts the threads of its transfers; the test's wall counts from here.
    ///
    /// - Parameters:
    ///   - server: anything but ndt7.
    ///   - options: how much it may do.
    ///   - account: gets every byte as it moves.
    ///   - userAgent: sent with every request.
    ///   - deviceBytes: tells of the traffic of others; nil: nobody looks for it.
    /// - Throws: `unreachable` where the URL is none, or where threads or descriptors have run out.
    package convenience init(
        server: SpeedTestServer,
        options: SpeedTestOptions,
        account: TrafficAccount,
        userAgent: String,
        deviceBytes: DeviceBytes? = nil
    ) throws(SpeedTestFailure) {
        let transport = try CurlTransport(
            userAgent: userAgent,
            server: server,
            interface: options.interface
        )
        try self.init(server, options, account: account, transport: transport, deviceBytes: deviceBytes)
    }

    init(
        _ server: SpeedTestServer,
        _ options: SpeedTestOptions,
        account: TrafficAccount,
        transport: any SpeedTestTransport,
        deviceBytes: DeviceBytes? = nil
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
        self.deviceBytes = deviceBytes
        traffic = TrafficMeter(transport, account: account)
        self.dialect = Locked(dialect.init(base: url))
        wall = .now + options.testWall
    }

    deinit { transport.stop() }

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
        // The probes' connection stands before the load, and its clock, begin.
        _ = try await transport.ping(dialect, onNewConnection: false)
        let run = LoadRun(direction, dialect, self, idle: idle, wall: wall)
        return try await run.run(progress: progress)
    }
}
