import Coordination
import HTTPTransfer

/// The networking of a speed test on libcurl.
///
/// A test with this networking also reads the kernel's counters of each connection.
public final class TransferNetworking: SpeedTestNetworking {
    static let userAgent = "network-health-exporter (SpeedTestCore)"

    // Created on the first use: most tests never use it.
    private let transport = Locked<CurlTransport?>(nil)

    /// Starts no thread before the first request.
    public init() {}

    /// Performs a small GET.
    public func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
        try await onTransport { transport async throws(SpeedTestFailure) in try await transport.ask(request) }
    }

    /// Performs a GET and discards its body.
    public func download(
        _ request: SpeedTestRequest,
        received: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse {
        let meter = TransferMeter(onReceive: { _, count in
            received(count)
            return true
        })
        return try await carry(request, .download, bytes: 0, meter)
    }

    /// Performs a POST of random bytes.
    public func upload(
        _ request: SpeedTestRequest,
        byteCount: Int,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse {
        try await carry(request, .upload, bytes: UInt64(clamping: byteCount), TransferMeter(onSend: sent))
    }

    private func carry(
        _ request: SpeedTestRequest,
        _ direction: Direction,
        bytes: UInt64,
        _ meter: TransferMeter
    ) async throws -> SpeedTestResponse {
        try await onTransport { transport async throws(SpeedTestFailure) in
            try await transport.carry(request, direction, bytes: bytes, meter: meter)
        }
    }

    private func onTransport<Result>(
        _ body: (CurlTransport) async throws(SpeedTestFailure) -> Result
    ) async throws -> Result {
        do throws(SpeedTestFailure) {
            return try await body(try made())
        } catch {
            throw NetworkError(error)
        }
    }

    private func made() throws(SpeedTestFailure) -> CurlTransport {
        try transport.withLock { transport throws(SpeedTestFailure) -> CurlTransport in
            if let transport { return transport }
            let made = try CurlTransport(userAgent: Self.userAgent)
            transport = made
            return made
        }
    }
}
