import HTTPTransfer
import Locking
import Netlink
import Posix
import Statistics

/// Measures against an ndt7 server: its own address, or a locate service that names some.
///
/// One WebSocket carries one direction for ten seconds, or until the rate has settled. Idle latency is the kernel's round
/// trip of TCP handshakes with the same port: ndt7 has no request that only tells the time, and a WebSocket opened for
/// pings would be stored by M-Lab as a test of no speed. Latency under load is the sender's smoothed round trip.
package struct NDT7Measurement: DirectionMeasuring {
    private let base: NDT7Address
    private let options: SpeedTestOptions
    private let account: TrafficAccount
    private let userAgent: String
    private let congestionControl: String?
    private let timing: NDT7Timing
    private let tls: TransferTLS
    private let choice = Locked(NDT7Choice())

    /// - Parameters:
    ///   - server: whose URL is http, https, ws or wss: the base of `/ndt/v7/…`, or a locate service, told by `/v2/`.
    ///   - options: of the test.
    ///   - account: takes every byte.
    ///   - userAgent: begins with `name/version`.
    ///   - timing: times that tests shorten.
    /// - Throws: where the URL is none, or leads to M-Lab without a yes to its data policy.
    package init(
        server: SpeedTestServer,
        options: SpeedTestOptions,
        account: TrafficAccount,
        userAgent: String,
        timing: NDT7Timing = NDT7Timing()
    ) throws(SpeedTestFailure) {
        guard let base = NDT7Address(server.url) else {
            throw SpeedTestFailure(.unreachable, "\(server.url) is no http, https, ws or wss URL")
        }
        guard server.acceptsDataPolicy || !(base.isMLab || base.isLocator) else {
            throw SpeedTestFailure(
                .auth,
                "\(base.hostName) publishes results with this host's address: set accept_data_policy: true to agree"
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
        return "\(address.hostName):\(address.port)"
    }

    /// Asks the locate service, where there is one.
    package func prepare() async throws(SpeedTestFailure) {
        guard base.isLocator, choice.withLock({ $0.current }) == nil else { return }
        let found = try await NDT7Locator(
            address: base,
            interface: options.interface,
            tls: tls,
            userAgent: userAgent,
            timeout: timing.handshake
        ).candidates(account: account)
        choice.withLock { $0 = NDT7Choice(candidates: found) }
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
        to address: NDT7Address,
        pinned: IPAddress?,
        until wall: ContinuousClock.Instant
    ) -> ByteConnectionRequest {
        var request = ByteConnectionRequest(url: address.url)
        request.timeout = min(timing.handshake, ContinuousClock.now.duration(to: wall))
        request.address = pinned
        request.interface = options.interface
        request.congestionControl = congestionControl
        request.unsentLimit = NDT7.unsentLimit
        request.tls = tls
        return request
    }

    /// Asks one server after the other, from the one that answered last, and stays with the first that does.
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

/// The times of a measurement; tests have shorter ones.
package struct NDT7Timing: Sendable {
    /// For connecting, TLS and the WebSocket's handshake.
    package var handshake = Duration.seconds(7)
    /// Without a byte moved.
    package var silence = Duration.seconds(7)
    /// How long the rate may grow before the window begins.
    package var warmUp = Duration.milliseconds(1500)...Duration.seconds(4)
    /// Two of these in a row that differ by less than a tenth end the warm-up.
    package var bin = Duration.milliseconds(500)
    /// What the stop rule compares.
    package var interval = Duration.seconds(1)
    /// The shortest window that counts where the byte limit ended it.
    package var shortestCapped = Duration.seconds(1)
    /// The shortest where the other side did, unless the options ask for less.
    package var shortestCut = Duration.seconds(3)
    /// Between two looks at the kernel's counters.
    package var sample = Duration.milliseconds(100)
    /// Between two handshakes of the idle latency, give or take a fifth.
    package var pause = Duration.milliseconds(100)

    package init() {}
}

/// Runs what blocks on a thread of its own, while the caller's task hears of its progress.
enum NDT7Thread {
    /// Cancelling the task stops the signal, upon which `body` must return soon.
    ///
    /// - Parameters:
    ///   - progress: called by the caller's task; steps that come faster than it returns are left out.
    ///   - body: gets the signal to obey and where to tell its progress.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or that there is no thread to be had.
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
