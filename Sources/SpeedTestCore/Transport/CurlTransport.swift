import Coordination
import HTTPTransfer
import Posix

/// libcurl on two threads: one for the load, and one for the small requests, which the load must not delay.
final class CurlTransport: SpeedTestTransport {
    private let load: TransferLoop
    private let probes: TransferLoop
    /// Its headers, TLS options and proxy apply to every request; nil: none.
    private let server: SpeedTestServer?
    private let interface: String?
    private let device: DeviceMeter?
    /// A test measures one path.
    private let pinned: Locked<PinnedAddresses>

    /// - Parameters:
    ///   - userAgent: sent with every request.
    ///   - server: its options apply to every request; nil: none.
    ///   - interface: the device that connections are bound to; nil: the kernel chooses.
    ///   - device: counts what the devices of the connections carry; nil: not counted.
    /// - Throws: where threads or descriptors have run out.
    init(
        userAgent: String,
        server: SpeedTestServer? = nil,
        interface: String? = nil,
        device: DeviceMeter? = nil
    ) throws(SpeedTestFailure) {
        var sockets = TransferSockets(congestionControl: server?.congestionControl)
        sockets.notSentLowWater = 262_144
        // An upload ends when it is cancelled, not when the kernel has sent its buffer.
        sockets.resetsOnClose = true
        do throws(SystemError) {
            load = try TransferLoop(name: "speedtest-load", userAgent: userAgent, sockets: sockets)
            probes = try TransferLoop(name: "speedtest-probe", userAgent: userAgent)
        } catch {
            throw SpeedTestFailure(.unreachable, error.description)
        }
        pinned = Locked(PinnedAddresses(server: server.flatMap { WebURL($0.url)?.authority }))
        self.server = server
        self.interface = interface
        self.device = device
    }

    deinit { stop() }

    func stop() {
        load.stop()
        probes.stop()
    }

    func ask(_ request: SpeedTestRequest, onNewConnection: Bool) async throws(SpeedTestFailure) -> SpeedTestResponse {
        var transfer = transfer(request)
        transfer.usesFreshConnection = onNewConnection
        transfer.sink = .collect(limit: 65_536)
        let response = try await perform(transfer, on: probes)
        pin(request.url, to: response.statistics.remoteAddress)
        return SpeedTestResponse(response)
    }

    func carry(
        _ request: SpeedTestRequest,
        _ direction: Direction,
        bytes: UInt64,
        meter: TransferMeter
    ) async throws(SpeedTestFailure) -> SpeedTestResponse {
        var transfer = transfer(request)
        transfer.meter = meter
        transfer.sink = .discardUnlessRefused(limit: 4096)
        if direction == .upload {
            transfer.method = .post
            transfer.body = .repeating(
                NoiseBuffer.shared,
                length: Int64(clamping: bytes),
                after: request.bodyHead,
                before: request.bodyTail
            )
        }
        return SpeedTestResponse(try await perform(transfer, on: load))
    }

    var traffic: CarriedBytes? { load.carried + probes.carried }

    var threadTime: ThreadClock.Reading? { load.threadTime }

    var serverAddress: IPAddress? {
        guard server?.proxy == nil else { return nil }
        return pinned.withLock { $0.addresses.values.first }
    }

    private func transfer(_ request: SpeedTestRequest) -> TransferRequest {
        var transfer = TransferRequest(url: request.url)
        transfer.headers = request.headers.map { ($0.key, $0.value) }
        // Credentials are not sent to other hosts that the server's answer names.
        if let server, WebURL(server.url)?.authority == WebURL(request.url)?.authority {
            transfer.headers += server.headers.filter { request.headers[$0.key] == nil }.map { ($0.key, $0.value) }
            transfer.tls = server.tls
        }
        transfer.proxy = server?.proxy
        transfer.timeout = request.timeout
        transfer.connectTimeout = .seconds(5)
        transfer.interface = interface
        // With a proxy the address is the proxy's.
        let authority = transfer.proxy == nil ? WebURL(request.url)?.authority : nil
        transfer.mayConnect = { [interface, device, pinned = pinned.withLock { $0 }] address in
            guard authority.map({ pinned.permits(address.ip, for: $0) }) ?? true else { return false }
            device?.willConnect(to: address, through: interface)
            return true
        }
        return transfer
    }

    private func pin(_ url: String, to address: IPAddress?) {
        guard let address, let url = WebURL(url) else { return }
        pinned.withLock { $0.pin(url.authority, to: address) }
    }

    private func perform(
        _ transfer: TransferRequest,
        on loop: TransferLoop
    ) async throws(SpeedTestFailure) -> TransferResponse {
        do throws(TransferError) {
            return try await loop.perform(transfer)
        } catch {
            throw SpeedTestFailure(error, isUpload: transfer.method == .post)
        }
    }
}

extension SpeedTestResponse {
    init(_ response: TransferResponse) {
        self.init(status: response.status, body: response.body)
        for (name, value) in response.headers { headers[name.lowercased()] = value }
        let phases = response.statistics.phases
        latency = phases.processing ?? .zero
        connectDuration = phases.connect
        handshakeDuration = phases.tls
    }
}
