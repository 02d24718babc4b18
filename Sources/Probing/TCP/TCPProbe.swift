package import HTTPTransfer
import Posix

/// Connects to a host and port; with TLS, the handshake counts too.
package struct TCPProbe: Probe {
    package static let module = "tcp"
    package static let measuresRoundTrip = true
    package static let failures = ProbeFailure.ofPath.union([.refused, .tls, .protocolViolation])

    /// nil: no TLS.
    package var tls: TransferTLS?

    package init(tls: TransferTLS? = nil) { self.tls = tls }

    package func probe(_ target: Target, in context: ProbeContext, with tools: ProbeTools) async -> ProbeResult {
        guard let place = HostPort(target.address), let port = place.port else {
            return ProbeResult(failure: .resolve, detail: "\(target.address) is not HOST:PORT")
        }
        if let tls {
            let url = WebURL(scheme: "https", host: place.host, port: port)
            return await Self.handshakeTLS(with: url, tls, for: target, by: tools.transfers)
        }
        return await tools.probeAddresses(
            of: place.host,
            port: port,
            for: target,
            in: context
        ) { destination, device, deadline in
            let handshake = await tools.handshakes.connect(to: destination, device: device, until: deadline)
            return ProbeResult(handshake, to: target.address)
        }
    }

    /// Any TLS server is good, whatever its protocol.
    private static func handshakeTLS(
        with url: WebURL,
        _ tls: TransferTLS,
        for target: Target,
        by transfers: any HTTPTransferring
    ) async -> ProbeResult {
        var request = TransferRequest(url: url.description)
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
            // Segments of TLS that were sent again are no probes.
            let connect = result.phases.connect ?? .zero
            result.isRepeated = TCPHandshake.isRepeated(
                after: connect,
                retransmissions: response.statistics.retransmissions
            )
            if result.isRepeated { result.rtt = TCPHandshake.ofRepeatedSYN(result.rtt, after: connect) }
        } catch {
            result = ProbeResult(error, for: target)
            result.rtt = error.statistics.connectionRTT
        }
        return result.upToHandshake
    }
}

extension ProbeResult {
    /// The result up to the TLS handshake: there was no request.
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
