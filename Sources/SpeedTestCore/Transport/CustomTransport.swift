import HTTPTransfer

/// The engine's transport on somebody's own networking.
struct CustomTransport: SpeedTestTransport {
    let networking: any SpeedTestNetworking

    var traffic: TrafficAccount.Bytes? { nil }
    var processorTime: Duration? { nil }

    func stop() {}

    func ask(_ request: SpeedTestRequest, onNewConnection: Bool) async throws(SpeedTestFailure) -> SpeedTestResponse {
        do {
            return try await networking.get(request)
        } catch {
            throw SpeedTestFailure(request, error)
        }
    }

    func carry(
        _ request: SpeedTestRequest,
        _ direction: Direction,
        bytes: UInt64,
        meter: TransferMeter
    ) async throws(SpeedTestFailure) -> SpeedTestResponse {
        do {
            switch direction {
            case .download: return try await networking.download(request) { _ = meter.receive($0) }
            case .upload:
                return try await networking.upload(request, byteCount: Int(clamping: bytes)) { meter.send($0) }
            }
        } catch {
            throw SpeedTestFailure(request, error)
        }
    }
}

extension SpeedTestFailure {
    fileprivate init(_ request: SpeedTestRequest, _ error: any Error) {
        let reason: Reason =
            switch error {
            case let error as NetworkError: error.reason
            case is CancellationError: .cancelled
            default: .unreachable
            }
        self.init(reason, "\(request.url): \(error)")
    }
}
