import Foundation
import Testing

@testable import OfflineQueue

@Suite struct RetryableRequestTests {
    private let request = RetryableRequest(
        id: UUID(),
        endpoint: "https://api.example.com/x",
        method: "POST",
        body: Data("body".utf8),
        timestamp: Date(timeIntervalSince1970: 1_800_000_000),
        retryCount: 1,
        maxRetries: 3,
        requestType: "order",
        headers: ["X-One": "1"],
        idempotencyKey: "key",
        orderingKey: "lane",
        requirement: "unmetered"
    )

    @Test func `is the same after encoding and decoding`() throws {
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(RetryableRequest.self, from: data) == request)
    }

    @Test func `one more try keeps all but the count`() {
        let next = request.incrementRetryCount()
        #expect(next.id == request.id)
        #expect(next.retryCount == 2)
        #expect(next.body == request.body && next.headers == request.headers && next.orderingKey == "lane")
        #expect(request.retryCount == 1)
    }

    @Test func `can be tried as often as it allows, or without a limit`() {
        #expect(request.canRetry)
        #expect(!request.incrementRetryCount().incrementRetryCount().canRetry)
        let endless = RetryableRequest(endpoint: "https://h", method: "GET", retryCount: 1000, requestType: "")
        #expect(endless.canRetry)
    }

    @Test func `is sent with its key, else with its own header, else with its id`() {
        func sent(_ key: String?, _ headers: [String: String]) -> [String: String] {
            RetryableRequest(
                id: request.id,
                endpoint: "https://h",
                method: "POST",
                requestType: "",
                headers: headers,
                idempotencyKey: key
            )
            .sent.headers
        }
        #expect(sent("key", ["idempotency-key": "own", "X-One": "1"]) == ["Idempotency-Key": "key", "X-One": "1"])
        #expect(sent(nil, ["idempotency-key": "own"]) == ["idempotency-key": "own"])
        #expect(sent(nil, [:]) == ["Idempotency-Key": request.id.uuidString])
    }
}
