import Coordination
import HTTPTransfer
package import Posix
import Statistics

/// Measures against an ndt7 server, or the servers of a locate service.
///
/// One WebSocket carries one direction for ten seconds, or until the rate has settled. The idle latency is the kernel's
/// round trip of TCP handshakes with the same port: ndt7 has no request for latency alone, and M-Lab would store a
/// WebSocket for pings as a test without speed. The latency under load is the sender's smoothed round trip.
package struct NDT7Measurement: DirectionMeasuring {
    private let base: WebURL
    private let options: SpeedTestOptions
    private let account: TrafficAccount
    private let userAgent: String
    private let congestionControl: String?
    private let timing: NDT7Timing
    private let tls: TransferTLS
    private let choice = Locked(NDT7Choice())

    /// - Parameters:
    ///   - server: its URL is http, https, ws or wss: the base of `/ndt/v7/…`, or a locate service, which has `/v2/`.
    ///   - options: of the test.
    ///   - account: counts every byte.
    ///   - userAgent: begins with `name/version`.
    ///   - timing: its time limits and intervals.
    /// - Throws: for an invalid URL, and for M-Lab without an agreement to its data policy.
    package init(
        server: SpeedTestServer,
        options: SpeedTestOptions,
        account: TrafficAccount,
        userAgent: String,
        timing: NDT7Timing = NDT7Timing()
    ) throws(SpeedTestFailure) {
        guard let base = WebURL(ndt7: server.url) else {
            throw SpeedTestFailure(.unreachable, "\(server.url) is not an http, https, ws or wss URL")
        }
        guard !server.lacksConsent else {
            throw SpeedTestFailure(
                .auth,
                "\(base.host) publishes results with this host's address: to agree, set accept_data_policy: true or --accept-data-policy"
            )
        }
        self.base = base
        self.options = options
        self.account = account
        self.userAgent = userAgent
        tls = server.tls
        self.timing = timing
        congestionControl = server.congestionControl
        if !base.isLocator { choice.withLock { $0 = NDT7Choice(candidates: [NDT7Candidate(base: base)]) } }
    }

    package var host: String {
        let address = choice.withLock { $0.current?.download } ?? base
        return address.hostPort.description
    }

    package var serverAddress: IPAddress? { choice.withLock { $0.address } }

    /// Queries the locate service, if any.
    package func prepare() async throws(SpeedTestFailure) {
        guard base.isLocator, choice.withLock({ $0.current }) == nil else { return }
        let located = try await NDT7Locator(
            address: base,
            interface: options.interface,
            tls: tls,
            userAgent: userAgent,
            timeout: timing.handshake
        ).choice(account: account)
        choice.withLock { $0 = located }
    }

    package func idleLatency(
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> IdleLatency {
        let wall = ContinuousClock.now + options.directionWall
        return try await NDT7Thread.run(progress: progress) { signal, progress throws(SpeedTestFailure) in
            try trying { candidate, pinned throws(SpeedTestFailure) in
                // The handshake of TCP alone, also to a port of TLS.
                let address = candidate.download.withoutTLS
                let pings = NDT7Pings(
                    request: request(to: address, pinned: pinned, until: wall),
                    host: address.authority,
                    count: options.idleSamples,
                    account: account,
                    timing: timing,
                    wall: wall
                )
                return try pings.run(until: signal, progress: progress)
            }
        }
    }

    package func measure(
        _ direction: Direction,
        idle: IdleLatency?,
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> DirectionReport {
        let wall = ContinuousClock.now + options.directionWall
        var timing = timing
        timing.shortestCapped = min(timing.shortestCapped, WindowRule.shortestCapped(roundTrip: idle?.latency))
        return try await NDT7Thread.run(progress: progress) { [timing] signal, progress throws(SpeedTestFailure) in
            let run = try trying { candidate, pinned throws(SpeedTestFailure) in
                let address = candidate[direction].adding(query: NDT7ClientName(userAgent: userAgent).query)
                let connection = try NDT7Connection(
                    request(to: address, pinned: pinned, until: wall),
                    for: address,
                    userAgent: userAgent,
                    until: signal,
                    account: account
                )
                let run = NDT7Run(
                    direction,
                    on: connection,
                    host: address.authority,
                    options: options,
                    timing: timing,
                    wall: wall,
                    account: account,
                    signal: signal
                )
                return (run, run.address)
            }
            return try run.run(progress: progress)
        }
    }

    private func request(
        to address: WebURL,
        pinned: IPAddress?,
        until wall: ContinuousClock.Instant
    ) -> ByteConnectionRequest {
        var request = ByteConnectionRequest(url: address.description)
        request.timeout = min(timing.handshake, ContinuousClock.now.duration(to: wall))
        request.address = pinned
        let choice = choice.withLock { $0 }
        request.mayConnect = { [account, interface = options.interface] address in
            guard choice.permits(address.ip) else { return false }
            account.device.willConnect(to: address, through: interface)
            return true
        }
        request.interface = options.interface
        request.sockets.congestionControl = congestionControl
        request.sockets.notSentLowWater = NDT7.unsentLimit
        request.tls = tls
        return request
    }

    /// Tries the servers in turn, from the one that answered last, and stays with the first that answers.
    private func trying<Value>(
        _ body: (NDT7Candidate, _ pinned: IPAddress?) throws(SpeedTestFailure) -> (Value, IPAddress?)
    ) throws(SpeedTestFailure) -> Value {
        while true {
            let (candidate, pinned) = choice.withLock { ($0.current, $0.address) }
            guard let candidate else { throw SpeedTestFailure(.unreachable, "\(host): no server to measure against") }
            do throws(SpeedTestFailure) {
                let (value, address) = try body(candidate, pinned)
                choice.withLock { $0.address = address ?? pinned }
                return value
            } catch {
                guard error.reason != .cancelled, choice.withLock({ $0.moveOn() }) else { throw error }
            }
        }
    }
}

/// The time limits and intervals of a measurement; tests shorten them.
package struct NDT7Timing: Sendable {
    /// For connecting, TLS and the WebSocket's handshake.
    package var handshake = Duration.seconds(7)
    /// The maximum time without a byte.
    package var silence = Duration.seconds(7)
    /// The minimum and maximum duration of the warm-up.
    package var warmUp = Duration.milliseconds(1500)...Duration.seconds(4)
    /// The warm-up ends when the rates of two such intervals in a row differ by less than a tenth.
    package var bin = Duration.milliseconds(500)
    /// The intervals that the stop rule compares.
    package var interval = Duration.seconds(1)
    /// The shortest window that counts where the byte limit ended it.
    package var shortestCapped = Duration.seconds(1)
    /// The shortest window that counts where the other side ended it, unless the options require less.
    package var shortestCut = Duration.seconds(3)
    /// Between two readings of the kernel's counters.
    package var sample = Duration.milliseconds(100)
    /// Between two handshakes of the idle latency, ± 20 %.
    package var pause = Duration.milliseconds(100)

    package init() {}
}

/// Runs blocking code on a separate thread, and reports its progress on the caller's task.
enum NDT7Thread {
    /// Cancelling the task stops the signal; `body` must then return soon.
    ///
    /// - Parameters:
    ///   - progress: called on the caller's task; it misses steps that come faster than it returns.
    ///   - body: receives the signal and a function that reports its progress.
    /// - Returns: what `body` returns.
    /// - Throws: the error of `body`, or that no thread can be started.
    static func run<Value: Sendable>(
        progress: @Sendable (SpeedTestProgress) -> Void,
        _ body: @escaping @Sendable (LoopSignal, (SpeedTestProgress) -> Void) throws(SpeedTestFailure) -> Value
    ) async throws(SpeedTestFailure) -> Value {
        let (steps, teller) = AsyncStream<SpeedTestProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        async let outcome = onThread(teller, body)
        for await step in steps { progress(step) }
        return try await outcome.get()
    }

    private static func onThread<Value: Sendable>(
        _ teller: AsyncStream<SpeedTestProgress>.Continuation,
        _ body: @escaping @Sendable (LoopSignal, (SpeedTestProgress) -> Void) throws(SpeedTestFailure) -> Value
    ) async -> Result<Value, SpeedTestFailure> {
        defer { teller.finish() }
        let outcome = Locked<Result<Value, SpeedTestFailure>?>(nil)
        do throws(SystemError) {
            try await LoopThread.run(name: "nhe-ndt7") { signal in
                let result = Result { () throws(SpeedTestFailure) in try body(signal) { teller.yield($0) } }
                outcome.withLock { $0 = result }
            }
        } catch {
            return .failure(SpeedTestFailure(.unreachable, "\(error)"))
        }
        return outcome.withLock { $0 } ?? .failure(SpeedTestFailure(.cancelled, "the test was stopped"))
    }
}
