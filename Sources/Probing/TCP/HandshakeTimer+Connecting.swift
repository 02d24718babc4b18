import HTTPTransfer

extension HandshakeTimer: Connecting {
    package func connect(
        to endpoint: InternetConfiguration.Endpoint,
        interface: String?,
        timeout: Duration
    ) async -> ProbeResult {
        let handshake = await connect(
            to: ResolvedAddress(address: endpoint.address),
            port: endpoint.port,
            device: interface,
            until: .now + timeout
        )
        var result = ProbeResult(handshake, to: endpoint.description)
        result.address = endpoint.address
        result.device = interface
        result.duration = handshake.duration
        return result
    }
}

extension ProbeResult {
    /// A handshake as a probe's result, which lacks the address and what came before.
    init(_ handshake: TCPHandshake, to place: String) {
        self.init(failure: handshake.failure, detail: handshake.detail.isEmpty ? "" : "\(place): \(handshake.detail)")
        method = .tcpHandshake
        rtt = handshake.rtt
        phases.connect = handshake.failure == nil ? handshake.duration : nil
    }
}
