import CLinux
import Glibc
import HTTPTransfer
package import Posix

/// Checks whether a TCP port answers.
package protocol Connecting: Sendable {
    /// Connects and closes the connection; never throws, as a failure is a result.
    func connect(
        to endpoint: SocketAddress,
        interface: String?,
        timeout: Duration
    ) async -> ProbeResult
}

/// Makes TCP connections to time the handshake.
///
/// No thread blocks, and no connection stays in TIME_WAIT.
package struct HandshakeTimer: Sendable {
    private let readiness: Readiness
    private let openSocket: SocketOpener

    /// - Parameters:
    ///   - readiness: the loop that waits.
    ///   - openSocket: opens the sockets; the default does so in the namespace of the calling thread.
    package init(readiness: Readiness, openSocket: @escaping SocketOpener = Descriptor.openSocket) {
        self.readiness = readiness
        self.openSocket = openSocket
    }

    /// Connects and closes at once.
    ///
    /// - Parameters:
    ///   - destination: an address and a port.
    ///   - device: bound to it; nil: the kernel chooses.
    ///   - deadline: when to give up.
    /// - Returns: the outcome; a cancelled task's is a timeout.
    package func connect(
        to destination: SocketAddress,
        device: String?,
        until deadline: ContinuousClock.Instant
    ) async -> TCPHandshake {
        do throws(SystemError) {
            let family = destination.ip.family.number
            let descriptor = try openSocket(family, SocketType.stream, Int32(IPPROTO_TCP))
            try? descriptor.discardOnClose()
            if let device { try descriptor.restrict(toDevice: device) }
            // A kernel before 5.9 does without; no connection of these is used.
            SocketOptions.setRouterErrors(descriptor.number, true, destination.ip.family)
            let start = ContinuousClock.now
            var code = destination.withPointer { address, length in
                Glibc.connect(descriptor.number, address, length) == 0 ? 0 : errno
            }
            if code == EINPROGRESS {
                let isSettled = await readiness.wait(for: descriptor.number, .writable, until: deadline)
                code = isSettled ? descriptor.takeError() : ETIMEDOUT
            }
            let duration = ContinuousClock.now - start
            guard code == 0 else {
                var failed = TCPHandshake(SystemError(call: "connect", code: code))
                if code == EADDRNOTAVAIL, destination.hasSource { failed.failure = .local }
                failed.rtt = failed.failure == .refused ? duration : nil
                failed.duration = duration
                failed.refusal = RouterError.take(from: descriptor.number).map { Refusal($0) }
                return failed
            }
            let statistics = TCPStatistics(of: descriptor.number)
            return TCPHandshake(
                after: duration,
                roundTrip: statistics?.smoothedRoundTrip,
                retransmissions: statistics?.retransmissions ?? 0
            )
        } catch {
            return TCPHandshake(error)
        }
    }
}

extension TCPHandshake {
    fileprivate init(_ error: SystemError) {
        self.init(failure: ProbeFailure(errno: error.code), detail: error.description)
    }
}

extension Descriptor {
    /// Closes with RST instead of FIN, so that no state remains (SO_LINGER with no time in socket(7)).
    fileprivate borrowing func discardOnClose() throws(SystemError) {
        var value = linger(l_onoff: 1, l_linger: 0)
        guard setsockopt(number, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size)) == 0 else {
            throw SystemError(call: "setsockopt SO_LINGER", code: errno)
        }
    }
}

/// The outcome of an attempt to connect.
package struct TCPHandshake: Sendable, Equatable {
    /// nil: connected.
    package var failure: ProbeFailure?
    /// The system's error message; empty on success.
    package var detail = ""
    /// From SYN to SYN-ACK by the kernel's measurement, or to the refusing RST by our clock; nil: no answer, or not known.
    package var rtt: Duration?
    /// Connected after the kernel has sent the SYN again; see ``ProbeResult/isRepeated``.
    package var isRepeated = false
    /// From the call to its outcome, by our clock.
    package var duration: Duration = .zero
    /// The last ICMP error that came back for it, where it failed.
    package var refusal: Refusal?

    /// Whether the other side answered, also with a refusal.
    package var isAnswered: Bool { failure == nil || failure == .refused }
}

extension TCPHandshake {
    /// Connected.
    ///
    /// - Parameters:
    ///   - duration: from the call, by our clock.
    ///   - roundTrip: by the kernel; without the wait for a thread, which is in ours. nil: not measured.
    ///   - retransmissions: segments that the kernel has sent again.
    init(after duration: Duration, roundTrip: Duration?, retransmissions: UInt64) {
        self.duration = duration
        let roundTrip = roundTrip.map { min($0, duration) }
        isRepeated = Self.isRepeated(after: duration, retransmissions: retransmissions)
        rtt = isRepeated ? Self.ofRepeatedSYN(roundTrip, after: duration) : roundTrip ?? duration
    }

    /// Whether the segments that were sent again are SYNs: the kernel waits 1 s for an answer (RFC 6298).
    static func isRepeated(after duration: Duration, retransmissions: UInt64) -> Bool {
        retransmissions > 0 && duration >= .milliseconds(900)
    }

    /// A round trip, where it began with a repeated SYN; nil: with the first one.
    ///
    /// The kernel measures it by the time stamp in the answer. A server whose answer was lost repeats it with the time
    /// stamp of the first SYN.
    static func ofRepeatedSYN(_ roundTrip: Duration?, after duration: Duration) -> Duration? {
        roundTrip.flatMap { duration - $0 >= .milliseconds(500) ? $0 : nil }
    }
}

extension HandshakeTimer: Connecting {
    package func connect(
        to endpoint: SocketAddress,
        interface: String?,
        timeout: Duration
    ) async -> ProbeResult {
        let handshake = await connect(
            to: endpoint,
            device: interface,
            until: .now + timeout
        )
        var result = ProbeResult(handshake, to: endpoint.description)
        result.address = endpoint.ip
        result.device = interface
        result.duration = handshake.duration
        return result
    }
}

extension ProbeResult {
    /// A handshake as the result of a probe, without the address and the time of the resolution.
    init(_ handshake: TCPHandshake, to place: String) {
        self.init(failure: handshake.failure, detail: handshake.detail.isEmpty ? "" : "\(place): \(handshake.detail)")
        method = .tcpHandshake
        rtt = handshake.rtt
        refusal = handshake.refusal
        isRepeated = handshake.isRepeated
        phases.connect = handshake.failure == nil ? handshake.duration : nil
    }
}
