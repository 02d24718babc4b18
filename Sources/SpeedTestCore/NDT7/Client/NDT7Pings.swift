import HTTPTransfer
import Netlink
import Posix
import Statistics

/// The latency of the unloaded path, from the handshakes of TCP connections that carry nothing.
struct NDT7Pings {
    /// Where the connections go.
    var opening: NDT7Opening
    let count: Int
    let timing: NDT7Timing
    let wall: ContinuousClock.Instant

    /// Makes one connection after the other and blocks meanwhile.
    ///
    /// - Returns: the latency, and the address that all of them went to.
    func run(
        until signal: LoopSignal,
        progress: (SpeedTestProgress) -> Void
    ) throws(SpeedTestFailure) -> (IdleLatency, IPAddress?) {
        // The first one looks the name up, wakes caches and radios, and is left out.
        var opening = opening
        let address = try connect(opening, signal).address
        opening.pinned = address ?? opening.pinned
        var samples = SlidingWindow(capacity: max(1, count))
        for index in 0..<max(1, count) {
            guard ContinuousClock.now < wall else { break }
            signal.wait(upTo: timing.pause * Double.random(in: 0.8...1.2))
            guard !signal.isStopped else { throw SpeedTestFailure(.cancelled, "the test was stopped") }
            samples.push(try? connect(opening, signal).roundTrip)
            progress(SpeedTestProgress(.latency, fraction: Double(index + 1) / Double(max(1, count))))
        }
        guard !signal.isStopped else { throw SpeedTestFailure(.cancelled, "the test was stopped") }
        guard let latency = samples.median else {
            throw SpeedTestFailure(.timeout, "\(opening.address.authority): no handshake was answered at once")
        }
        return (IdleLatency(latency: latency, jitter: samples.jitter ?? .zero), address)
    }

    /// nil for the round trip of a handshake that had to be repeated: its packet was lost.
    private func connect(
        _ opening: NDT7Opening,
        _ signal: LoopSignal
    ) throws(SpeedTestFailure) -> (roundTrip: Duration?, address: IPAddress?) {
        do throws(TransferError) {
            let connection = try ByteConnection(opening.request, until: signal)
            return (SocketOptions.roundTrip(of: connection.socket), connection.address)
        } catch {
            throw SpeedTestFailure(connection: error)
        }
    }
}
