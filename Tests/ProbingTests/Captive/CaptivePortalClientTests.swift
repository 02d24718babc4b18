import HTTPTransfer
import Locking
import Probing
import Testing

struct CaptivePortalClientTests {
    /// Answers every request with the same.
    private struct Transfers: HTTPTransferring {
        var answer: Result<TransferResponse, TransferError>
        let urls = Locked<[String]>([])

        func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse {
            urls.withLock { $0.append(request.url) }
            return try answer.get()
        }
    }

    @Test func `asks at the URI and tells what the answer says`() async {
        let transfers = Transfers(answer: .success(CaptivePortalAPITests.response(CaptivePortalAPITests.example)))
        let status = await CaptivePortalClient(transfers: transfers).status(at: "https://example.org/api")
        #expect(status?.isCaptive == true)
        #expect(transfers.urls.withLock { $0 } == ["https://example.org/api"])
    }

    @Test func `knows nothing without an answer`() async {
        let failure = TransferError(.timeout, phase: .connect, message: "example.org")
        let client = CaptivePortalClient(transfers: Transfers(answer: .failure(failure)))
        #expect(await client.status(at: "https://example.org/api") == nil)
    }
}
