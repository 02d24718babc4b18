import Coordination
import HTTPTransfer

/// Performs nothing, records the requests, and returns a prepared answer.
final class FakeTransfers: HTTPTransferring {
    private let answer: Result<TransferResponse, TransferError>
    private let asked = Locked<[TransferRequest]>([])

    init(_ answer: Result<TransferResponse, TransferError>) { self.answer = answer }
    init(_ response: TransferResponse) { answer = .success(response) }
    init(_ error: TransferError) { answer = .failure(error) }

    /// Answers 200 with this body.
    init(body: String) {
        var response = TransferResponse(status: 200)
        response.body = Array(body.utf8)
        answer = .success(response)
    }

    var requests: [TransferRequest] { asked.withLock { $0 } }

    func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse {
        asked.withLock { $0.append(request) }
        return try answer.get()
    }
}
