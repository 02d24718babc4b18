import HTTPTransfer
import Posix
import Statistics

/// The latency of the unloaded path, from the handshakes of TCP connections without data.
struct NDT7Pings {
    /// How each connection is opened.
    let request: ByteConnectionRequest
    /// For messages.
    let host: String
    let count: Int
    let account: TrafficAccount
    let timing: NDT7Timing
    let wall: ContinuousClock.Instant

    /// Opens one connection after the other and blocks meanwhile.
    ///
    /// - Returns: the latency, and the address of all connections.
    func run(
        until signal: LoopSignal,
        progress: (SpeedTestProgress) -> Void
    ) throws(SpeedTestFailure) -> (IdleLatency, IPAddress?) {
        // The first one resolves the name and wakes caches and radios; it does not count.
        var request = request
        let address = try connect(request, signal).address
        request.address = address ?? request.address
        var samples = Outcomes()
        for index in 0..<max(1, count) {
            guard ContinuousClock.now < wall else { break }
            signal.wait(upTo: timing.pause * Double.random(in: 0.8...1.2))
            guard !signal.isStopped else { throw SpeedTestFailure(.cancelled, "the test was stopped") }
            samples.append(try? connect(request, signal).roundTrip)
            progress(SpeedTestProgress(.latency, fraction: Double(index + 1) / Double(max(1, count))))
        }
        guard !signal.isStopped else { throw SpeedTestFailure(.cancelled, "the test was stopped") }
        guard let latency = samples.median else {
            throw SpeedTestFailure(.timeout, "\(host): no handshake was answered at once")
        }
        return (IdleLatency(latency: latency, jitter: samples.jitter ?? .zero), address)
    }

    /// The round trip is nil where the handshake was retransmitted: its packet was lost.
    private func connect(
        _ request: ByteConnectionRequest,
        _ signal: LoopSignal
    ) throws(SpeedTestFailure) -> (roundTrip: Duration?, address: IPAddress?) {
        do throws(TransferError) {
            let connection = try ByteConnection(request, until: signal)
            var traffic = NDT7Traffic(account)
            traffic.end(connection.socket, rest: 0)
            return (SocketOptions.roundTrip(of: connection.socket), connection.address)
        } catch {
            throw SpeedTestFailure(connection: error)
        }
    }
}
