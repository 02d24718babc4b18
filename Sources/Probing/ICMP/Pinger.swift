import Coordination
import Glibc
package import Posix

/// Checks whether a router answers.
package protocol Pinging: Sendable {
    /// Sends one echo request; never throws, as a failure is a result.
    func ping(_ gateway: ProbeContext.Gateway, timeout: Duration) async -> ProbeResult
    /// Sends an echo request that makes a packet of `size` bytes, and must not be fragmented.
    func send(_ size: Int, to address: IPAddress, timeout: Duration) async -> PacketFate
}

/// Times the round trip to addresses: through an unprivileged ICMP socket, else a raw one, else by a TCP handshake.
///
/// All targets of a family and device share one socket. A handshake goes to port 443, as an icmp target has no port: a
/// refusal is an answer, too, and times the path as well.
package final class Pinger: Sendable {
    private struct Channel: Hashable {
        let family: AddressFamily
        let device: String?
    }

    private struct State {
        var sockets: [Channel: ICMPSocket] = [:]
        /// Until when a refused kind of socket is not tried again.
        var refusedUntil: [Refusal: ContinuousClock.Instant] = [:]
    }

    private struct Refusal: Hashable {
        let channel: Channel
        let kind: ICMPSocketKind
    }

    /// `net.ipv4.ping_group_range` may change while we run.
    private static let refusalTime = Duration.seconds(60)
    /// The pause before a request is sent again for which the kernel had no buffer.
    private static let bufferPause = Duration.milliseconds(50)

    private let readiness: Readiness
    private let openSocket: SocketOpener
    private let handshakes: HandshakeTimer
    private let onLateReply: @Sendable (String) -> Void
    private let state = Locked(State())

    /// A pinger that opens its sockets on first use.
    ///
    /// - Parameters:
    ///   - readiness: the loop that receives.
    ///   - openSocket: opens the sockets; the default does so in the namespace of the calling thread.
    ///   - onLateReply: called with the name of the target whose reply came after its timeout; must not block.
    package init(
        readiness: Readiness,
        openSocket: @escaping SocketOpener = Descriptor.openSocket,
        onLateReply: @escaping @Sendable (String) -> Void
    ) {
        self.readiness = readiness
        self.openSocket = openSocket
        self.onLateReply = onLateReply
        handshakes = HandshakeTimer(readiness: readiness, openSocket: openSocket)
    }

    deinit {
        for socket in state.withLock({ Array($0.sockets.values) }) { socket.close() }
    }

    /// Sends one echo request and waits for the reply.
    ///
    /// - Parameters:
    ///   - destination: the address.
    ///   - name: for `onLateReply`.
    ///   - device: bound to it; nil: the kernel chooses.
    ///   - deadline: from when on a reply is late.
    ///   - allowsHandshake: false: without an ICMP socket the result is inconclusive.
    /// - Returns: the outcome; a cancelled task's is a timeout.
    package func ping(
        _ destination: SocketAddress,
        name: String,
        device: String?,
        until deadline: ContinuousClock.Instant,
        allowsHandshake: Bool = true
    ) async -> ProbeResult {
        let start = ContinuousClock.now
        var result: ProbeResult
        do {
            let exchanged = try await exchange(with: destination, name: name, device: device, until: deadline)
            if let exchanged {
                result = ProbeResult(exchanged.outcome, by: exchanged.method, from: destination.ip)
                result.setup = exchanged.setup
            } else if allowsHandshake {
                result = await handshake(with: destination, device: device, until: deadline)
            } else {
                result = ProbeResult()
                result.inconclusive = .notPermitted
            }
        } catch {
            result = ProbeResult(failure: ProbeFailure(errno: error.code), detail: error.description)
        }
        result.address = destination.ip
        result.device = device
        result.duration = ContinuousClock.now - start
        return result
    }

    /// nil: no kind of ICMP socket is allowed.
    private func exchange(
        with destination: SocketAddress,
        name: String,
        device: String?,
        until deadline: ContinuousClock.Instant,
        length: Int = EchoMessage.byteCount
    ) async throws(SystemError) -> (outcome: EchoOutcome, method: ProbeMethod, setup: Duration)? {
        let channel = Channel(family: destination.ip.family, device: device)
        let start = ContinuousClock.now
        var isRetry = false
        while let socket = try socket(for: channel) {
            let setup = ContinuousClock.now - start
            let timeout = deadline - .now
            let outcome = await socket.ping(destination, name: name, timeout: timeout, length: length)
            if case .unsent = outcome, !isRetry, socket.isBroken {
                discard(socket, of: channel)
                isRetry = true
                continue
            }
            // A device that is just starting has no buffer yet: nothing was sent, so nothing is lost.
            if case .unsent(let error) = outcome, error.code == ENOBUFS, .now + Self.bufferPause < deadline,
                (try? await Task.sleep(for: Self.bufferPause)) != nil
            {
                continue
            }
            return (outcome, socket.kind.method, setup)
        }
        return nil
    }

    private func handshake(
        with destination: SocketAddress,
        device: String?,
        until deadline: ContinuousClock.Instant
    ) async -> ProbeResult {
        let server = SocketAddress(destination.ip, port: 443, scope: destination.scope)
        let handshake = await handshakes.connect(to: server, device: device, until: deadline)
        var result = ProbeResult(handshake, to: "\(destination.ip) port 443")
        if handshake.isAnswered { result.failure = nil }
        return result
    }

    // MARK: Sockets

    /// The shared socket, opened on first use; nil: no kind of ICMP socket is allowed.
    private func socket(for channel: Channel) throws(SystemError) -> ICMPSocket? {
        if let socket = state.withLock({ $0.sockets[channel] }) { return socket }
        for kind in ICMPSocketKind.allCases {
            let refusal = Refusal(channel: channel, kind: kind)
            if let until = state.withLock({ $0.refusedUntil[refusal] }), until > .now { continue }
            do {
                let descriptor = try kind.open(channel.family, device: channel.device, with: openSocket)
                return keep(
                    ICMPSocket(
                        kind,
                        family: channel.family,
                        device: channel.device,
                        descriptor: descriptor,
                        readiness: readiness,
                        onLateReply: onLateReply
                    ),
                    for: channel
                )
            } catch  where error.code == ENODEV || SystemError.isLocalLimit(error.code) {
                // Neither error means that this kind of socket is not allowed.
                throw error
            } catch {
                state.withLock { $0.refusedUntil[refusal] = .now + Self.refusalTime }
            }
        }
        return nil
    }

    /// Shares a new socket, unless another task has opened one meanwhile.
    private func keep(_ new: ICMPSocket, for channel: Channel) -> ICMPSocket {
        let kept = state.withLock { state in
            let kept = state.sockets[channel] ?? new
            state.sockets[channel] = kept
            return kept
        }
        if kept !== new { new.close() }
        return kept
    }

    private func discard(_ socket: ICMPSocket, of channel: Channel) {
        state.withLock { if $0.sockets[channel] === socket { $0.sockets[channel] = nil } }
        socket.close()
    }
}

extension Pinger: Pinging {
    package func ping(_ gateway: ProbeContext.Gateway, timeout: Duration) async -> ProbeResult {
        await ping(
            SocketAddress(gateway.address),
            name: Target.noName,
            device: gateway.neededDevice,
            until: .now + timeout
        )
    }

    package func send(_ size: Int, to address: IPAddress, timeout: Duration) async -> PacketFate {
        let exchanged = try? await exchange(
            with: SocketAddress(address),
            name: Target.noName,
            device: nil,
            until: .now + timeout,
            length: size - address.family.headerBytes
        )
        return switch exchanged?.outcome {
        case .reply: .answered
        case .timeout: Task.isCancelled ? .unknown : .silent
        case .tooLarge(let mtu): .tooLarge(mtu: mtu)
        // The device of the path itself carries less.
        case .unsent(let error) where error.code == EMSGSIZE: .tooLarge(mtu: nil)
        case .rejected, .shortened, .unsent, nil: .unknown
        }
    }
}

extension ProbeResult {
    fileprivate init(_ outcome: EchoOutcome, by method: ProbeMethod, from address: IPAddress) {
        self.init()
        self.method = method
        sentBytes = UInt64(EchoMessage.byteCount)
        switch outcome {
        case .reply(let roundTrip, let hopLimit):
            rtt = roundTrip
            self.hopLimit = hopLimit
            receivedBytes = UInt64(EchoMessage.byteCount)
        case .timeout:
            failure = .timeout
            detail = "\(address) did not reply in time"
        // Not of so small a request.
        case .tooLarge, .shortened:
            failure = .unreachable
            detail = "\(address): \(SystemError.message(EMSGSIZE))"
        case .rejected(let code, let refusal):
            failure = .unreachable
            self.refusal = refusal
            detail = "\(address): \(SystemError.message(code))"
        case .unsent(let error):
            failure = ProbeFailure(errno: error.code)
            detail = "\(address): \(error)"
            sentBytes = 0
        }
    }
}
