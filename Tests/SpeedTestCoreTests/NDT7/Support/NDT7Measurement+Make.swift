import SpeedTestCore

extension NDT7Measurement {
    /// A measurement with quick times.
    static func make(
        _ url: String,
        account: TrafficAccount = TrafficAccount(),
        timing: NDT7Timing = .quick,
        acceptsDataPolicy: Bool = false,
        _ change: (inout SpeedTestOptions) -> Void = { _ in }
    ) throws -> NDT7Measurement {
        var server = SpeedTestServer(name: "test", dialect: .ndt7, url: url)
        server.acceptsDataPolicy = acceptsDataPolicy
        var options = SpeedTestOptions()
        options.window = .milliseconds(300) ... .milliseconds(600)
        options.directionWall = .seconds(10)
        options.idleSamples = 5
        change(&options)
        return try NDT7Measurement(
            server: server,
            options: options,
            account: account,
            userAgent: "test/1.2 (unit)",
            timing: timing
        )
    }

    /// Measures one direction without progress.
    func measure(_ direction: Direction) async throws(SpeedTestFailure) -> DirectionReport {
        try await measure(direction, idle: nil) { _ in }
    }
}

extension NDT7Timing {
    /// Everything a tenth as long, or less.
    static var quick: Self {
        var timing = Self()
        timing.handshake = .seconds(5)
        timing.silence = .seconds(5)
        timing.warmUp = .milliseconds(100) ... .milliseconds(300)
        timing.bin = .milliseconds(50)
        timing.interval = .milliseconds(100)
        timing.shortestCapped = .milliseconds(20)
        timing.shortestCut = .milliseconds(200)
        timing.sample = .milliseconds(10)
        timing.pause = .milliseconds(1)
        return timing
    }

    /// The same, but less than five seconds are no window where the other side ends it: a busy machine may need a second for 1 MB.
    static var patient: Self {
        var timing = quick
        timing.shortestCut = .seconds(5)
        return timing
    }
}
