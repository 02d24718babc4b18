import HTTPTransfer
import Locking
import Posix
import Statistics

/// Measures against an ndt7 server: its own address, or a locate service that names some.
///
/// One WebSocket carries one direction for ten seconds, or until the rate has settled. Idle latency is the kernel's round
/// trip of TCP handshakes with the same port: ndt7 has no request that only tells the time, and a WebSocket opened for
/// pings would be stored by M-Lab as a test of no speed. Latency under load is the sender's smoothed round trip.
package struct NDT7Measurement: DirectionMeasuring {
    private let base: WebURL
    private let options: SpeedTestOptions
    private let account: TrafficAccount
    private let userAgent: String
    private let congestionControl: String?
    private let pace: NDT7Pace
    private let tls: TransferTLS
    private let choice = Locked(NDT7Choice())

    /// - Parameters:
    ///   - server: whose URL is http, https, ws or wss: the base of `/ndt/v7/…`, or a locate service, told by `/v2/`.
    ///   - options: of the test.
    ///   - account: takes every byte.
    ///   - userAgent: begins with `name/version`.
    ///   - pace: times that tests shorten.
    /// - Throws: where the URL is none, or leads to M-Lab without a yes to its data policy.
    package init(
        server: SpeedTestServer,
        options: SpeedTestOptions,
        account: TrafficAccount,
        userAgent: String,
        pace: NDT7Pace = NDT7Pace()
    ) throws(SpeedTestFailure) {
        guard let base = WebURL(ndt7: server.url) else {
            throw SpeedTestFailure(.unreachable, "\(server.url) is no http, https, ws or wss URL")
        }
        guard server.acceptsDataPolicy || !(base.isMLab || base.isLocator) else {
            throw SpeedTestFailure(
                .auth,
                "\(base.host) publishes results with this host's address: set accept_data_policy: true to agree"
            )
        }
        self.base = base
        self.options = options
        self.account = account
        self.userAgent = userAgent
        tls = server.tls
        self.pace = pace
        congestionControl = server.congestionControl
        if !base.isLocator { choice.withLock { $0 = NDT7Choice(candidates: [NDT7Candidate(base: base)]) } }
    }

    package var host: String {
        let address = choice.withLock { $0.current?.download } ?? base
        return address.hostPort.description
    }

    /// Asks the locate service, where there is one.
    package func prepare() async throws(SpeedTestFailure) {
        guard base.isLocator, choice.withLock({ $0.current }) == nil else { return }
        let found = try await NDT7Locator(
            address: base,
            interface: options.interface,
            tls: tls,
            userAgent: userAgent,
            timeout: pace.handshake
        ).candidates(account: account)
        choice.withLock { $0 = NDT7Choice(candidates: found) }
    }

    package func idleLatency(
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> IdleLatency {
        let wall = ContinuousClock.now + options.directionWall
        return try await NDT7Thread.run(progress: progress) { signal, progress throws(SpeedTestFailure) in
            try trying { candidate, pinned throws(SpeedTestFailure) in
                var opening = opening(candidate.download, pinned: pinned, until: wall)
                // The handshake of TCP, to the port of TLS too.
                opening.address = candidate.download.withoutTLS
                let pings = NDT7Pings(opening: opening, count: options.idleSamples, pace: pace, wall: wall)
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
        var pace = pace
        pace.shortestCapped = min(pace.shortestCapped, WindowRule.shortestCapped(roundTrip: idle?.latency))
        return try await NDT7Thread.run(progress: progress) { [pace] signal, progress throws(SpeedTestFailure) in
            let run = try trying { candidate, pinned throws(SpeedTestFailure) in
                let opening = opening(candidate[direction], pinned: pinned, until: wall)
                let connection = try NDT7Connection(opening, until: signal, account: account)
                let run = NDT7Run(
                    direction,
                    on: connection,
                    host: candidate[direction].authority,
                    options: options,
                    pace: pace,
                    wall: wall,
                    account: account,
                    signal: signal
                )
                return (run, run.address)
            }
            return try run.run(progress: progress)
        }
    }

    private func opening(
        _ address: WebURL,
        pinned: IPAddress?,
        until wall: ContinuousClock.Instant
    ) -> NDT7Opening {
        NDT7Opening(
            address: address.adding(query: NDT7ClientName(userAgent: userAgent).query),
            pinned: pinned,
            interface: options.interface,
            congestionControl: congestionControl,
            tls: tls,
            userAgent: userAgent,
            timeout: min(pace.handshake, ContinuousClock.now.duration(to: wall))
        )
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
