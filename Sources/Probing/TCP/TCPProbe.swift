package import HTTPTransfer
import Netlink

/// Connects to a host and port; with TLS, the handshake counts too.
package struct TCPProbe: Probe {
    private let handshakes: HandshakeTimer
    private let resolver: any NameResolving
    private let transfers: any HTTPTransferring

    package init(handshakes: HandshakeTimer, resolver: any NameResolving, transfers: any HTTPTransferring) {
        self.handshakes = handshakes
        self.resolver = resolver
        self.transfers = transfers
    }

    package func probe(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult {
        guard let place = HostPort(target.address) else {
            return ProbeResult(failure: .resolve, detail: "\(target.address) is no host with a port")
        }
        if case .tcp(let options) = target.options, let tls = options.tls {
            return await handshakeTLS(with: place, tls, for: target)
        }
        return await resolver.tryAddresses(of: place.host, for: target) { destination, deadline in
            let handshake = await handshakes.connect(
                to: destination,
                port: place.port,
                device: target.interface,
                until: deadline
            )
            return ProbeResult(handshake, to: target.address)
        }
    }

    /// A request whose answer does not matter: any TLS server will do, whatever it speaks then.
    private func handshakeTLS(with place: HostPort, _ tls: TransferTLS, for target: Target) async -> ProbeResult {
        var request = TransferRequest(url: place.httpsURL)
        request.timeout = target.timeout
        request.interface = target.interface
        request.family = target.family
        request.tls = tls
        request.usesFreshConnection = true
        var result: ProbeResult
        do {
            result = ProbeResult(try await transfers.perform(request).statistics, error: nil)
        } catch {
            result = ProbeResult(error.statistics, error: error)
        }
        result.device = target.interface
        return result
    }
}

extension ProbeResult {
    /// A transfer up to the end of its TLS handshake.
    fileprivate init(_ statistics: TransferStatistics, error: TransferError?) {
        let isSecured = statistics.phases.tls != nil && error?.reason != .tls
        self.init()
        if !isSecured {
            failure = error.map { ProbeFailure($0.reason) } ?? .tls
            detail = error?.description ?? "no TLS handshake"
        }
        phases.resolve = statistics.phases.resolve
        phases.connect = statistics.phases.connect
        phases.tls = statistics.phases.tls
        let handshake = [phases.resolve, phases.connect, phases.tls].compactMap(\.self).reduce(.zero, +)
        duration = isSecured ? handshake : statistics.duration
        rtt = statistics.connectionRTT
        method = phases.connect == nil ? nil : .tcpHandshake
        address = statistics.remoteAddress
        certificateExpiry = statistics.certificateExpiry
        sentBytes = statistics.sentBytes
        receivedBytes = statistics.receivedBytes
    }
}

extension ProbeFailure {
    fileprivate init(_ reason: TransferError.Reason) {
        self =
            switch reason {
            case .resolve: .resolve
            case .refused: .refused
            case .unreachable, .forbidden: .unreachable
            case .timeout, .cancelled, .stopped: .timeout
            case .tls, .invalidRequest: .tls
            case .protocolViolation, .aborted: .protocolViolation
            }
    }
}
