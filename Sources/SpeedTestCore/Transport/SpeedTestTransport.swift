import HTTPTransfer
import Posix

/// The requests of the engine: small ones that are timed, and large ones whose meters are read meanwhile.
protocol SpeedTestTransport: Sendable {
    /// Performs a small GET, on the connection that is kept open or on a new one.
    func ask(_ request: SpeedTestRequest, onNewConnection: Bool) async throws(SpeedTestFailure) -> SpeedTestResponse

    /// Performs one request of the load: a GET, or a POST of so many bytes.
    func carry(
        _ request: SpeedTestRequest,
        _ direction: Direction,
        bytes: UInt64,
        meter: TransferMeter
    ) async throws(SpeedTestFailure) -> SpeedTestResponse

    /// What its connections have carried so far; nil where only the meters count.
    var traffic: CarriedBytes? { get }

    /// What the thread that moves the load has done so far; nil: not known.
    var threadTime: ThreadClock.Reading? { get }

    /// The address that answered a small request; nil: none has, or it is not known.
    var serverAddress: IPAddress? { get }

    /// Ends all requests.
    func stop()
}

extension SpeedTestTransport {
    func ask(_ request: SpeedTestRequest) async throws(SpeedTestFailure) -> SpeedTestResponse {
        try await ask(request, onNewConnection: false)
    }
}

/// The engine's transport on the caller's networking.
struct CustomTransport: SpeedTestTransport {
    let networking: any SpeedTestNetworking

    var traffic: CarriedBytes? { nil }
    var threadTime: ThreadClock.Reading? { nil }
    var serverAddress: IPAddress? { nil }

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
                let byteCount = max(Int(clamping: bytes), request.bodyHead.count + request.bodyTail.count)
                return try await networking.upload(request, byteCount: byteCount) { meter.send($0) }
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
