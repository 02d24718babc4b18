import Coordination
import Foundation
import Lab
import OfflineQueue
import Testing

@Suite(.timeLimit(.minutes(3))) struct ForbiddenTests {
    /// Allows what its rule allows, with the default sender's errors.
    private struct Guarded: RequestSender {
        let isAllowed: @Sendable (String) -> Bool
        let recorder = RecordingSender()

        func check(_ request: RetryableRequest) throws(OfflineError) {
            guard isAllowed(request.endpoint) else { throw .forbidden(request.endpoint) }
        }

        func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
            try check(request)
            return try await recorder.send(request)
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func post(_ url: String) -> RetryableRequest {
        RetryableRequest(endpoint: url, method: "POST", requestType: "test")
    }

    @Test(arguments: [
        "127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]", "0x7f000001", "2130706433",
    ])
    func `an address that the rule refuses is refused at once, and counted`(_ host: String) async throws {
        let sender = HTTPRequestSender(rule: .global)
        let queue = RequestQueue(path: folder.file, online: Network(true).online, sender: sender)
        await #expect {
            try await queue.enqueue(post("http://\(host)/x"))
        } throws: {
            if case OfflineError.forbidden = $0 { true } else { false }
        }
        await #expect {
            try await queue.fetchWithOfflineSupport(endpoint: "http://\(host)/x", requestType: "t") as Data
        } throws: {
            if case OfflineError.forbidden = $0 { true } else { false }
        }
        #expect(queue.statistics.rejected == [.host: 1])
        #expect(await queue.pendingRequests == [])
        await queue.close()
    }

    @Test func `a name that leads to this host is kept, with its reason, and counted at each try`() async throws {
        let sender = HTTPRequestSender(rule: .global)
        let queue = RequestQueue(path: folder.file, online: Network(true).online, sender: sender)
        let id = try await queue.enqueue(post("http://localhost:9/x")).id
        try await running(queue) {
            try await eventually("two tries") {
                await queue.forceTriggerRetry()
                return queue.statistics.forbiddenAddresses >= 2
            }
        }
        let entry = try #require(await queue.overview(id: id))
        #expect(entry.lastFailure == .address)
        #expect(entry.lastError?.contains("leads to an address that is not allowed") == true)
        #expect(entry.request.retryCount == 0 && entry.lastStatus == nil)
        #expect(queue.statistics.pending == 1 && queue.statistics.discarded == [:])
        await queue.close()
    }

    @Test func `what was allowed when it was accepted, and is not any more, is discarded`() async throws {
        let isAllowed = Locked(true)
        let sender = Guarded { endpoint in isAllowed.withLock { $0 } || endpoint.hasSuffix("/2") }
        let network = Network()
        let queue = RequestQueue(path: folder.file, online: network.online, sender: sender)
        let received = deliveries(1, of: queue)
        for number in 1...2 { try await queue.enqueue(request(number)) }
        isAllowed.withLock { $0 = false }
        try await running(queue) {
            network.set(true)
            #expect(await received.value.map(\.request.endpoint) == ["https://api.example.com/2"])
        }
        #expect(queue.statistics.discarded == [.host: 1])
        await #expect(throws: OfflineError.forbidden("https://api.example.com/3")) {
            try await queue.enqueue(request(3))
        }
        await queue.close()
    }
}
