package import HTTPTransfer
import Posix

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

    /// Any TLS server will do, whatever it speaks then.
    private func handshakeTLS(with place: HostPort, _ tls: TransferTLS, for target: Target) async -> ProbeResult {
        var request = TransferRequest(url: place.httpsURL)
        request.timeout = target.timeout
        request.interface = target.interface
        request.family = target.family
        request.tls = tls
        request.usesFreshConnection = true
        request.onlyConnects = true
        var result: ProbeResult
        do {
            let response = try await transfers.perform(request)
            result = ProbeResult(response, for: target)
            result.rtt = response.statistics.connectionRTT
        } catch {
            result = ProbeResult(error, for: target)
            result.rtt = error.statistics.connectionRTT
        }
        return result.upToHandshake
    }
}

extension ProbeResult {
    /// What a transfer says of its connection, and no more: there was no request.
    fileprivate var upToHandshake: ProbeResult {
        var result = self
        result.http = nil
        (result.phases.processing, result.phases.transfer) = (nil, nil)
        result.method = phases.connect == nil ? nil : .tcpHandshake
        if isSuccess {
            result.duration = [phases.resolve, phases.connect, phases.tls].compactMap(\.self).reduce(.zero, +)
        }
        return result
    }
}
