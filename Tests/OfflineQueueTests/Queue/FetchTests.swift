import Coordination
import Foundation
import Lab
import OfflineQueue
import Testing

@Suite(.timeLimit(.minutes(3))) struct FetchTests {
    private struct Thing: Codable, Equatable { var name: String }

    private let folder: TemporaryFolder
    private let network = Network()
    private let thing = Data(#"{"name":"a"}"#.utf8)

    init() throws { folder = try TemporaryFolder() }

    private func queue(_ sender: any RequestSender) -> RequestQueue {
        RequestQueue(path: folder.file, online: network.online, sender: sender, baseURL: URL(string: "https://h/v1"))
    }

    /// The id with which a fetch was queued.
    private func queued(_ body: () async throws -> some Any) async throws -> UUID {
        do {
            _ = try await body()
        } catch OfflineError.queued(let id) {
            return id
        }
        throw Unreachable()
    }

    @Test func `online it fetches, bytes or what they decode to`() async throws {
        let sender = RecordingSender { [thing] _ in DeliveryResponse(statusCode: 200, body: thing) }
        let queue = queue(sender)
        let data: Data = try await queue.fetchWithOfflineSupport(endpoint: "/things/1", requestType: "thing")
        #expect(data == thing)
        let decoded: Thing = try await queue.fetchWithOfflineSupport(
            endpoint: "/things",
            method: "POST",
            body: Data("x".utf8),
            requestType: "thing"
        )
        #expect(decoded == Thing(name: "a"))
        #expect(sender.requests.map(\.method) == ["GET", "POST"])
        #expect(sender.requests.map(\.endpoint) == ["https://h/v1/things/1", "https://h/v1/things"])
        #expect(sender.requests[0].headers["Idempotency-Key"] == sender.requests[0].id.uuidString)
        #expect(await queue.pendingRequests == [])
        await queue.close()
    }

    @Test func `a status is an answer: it throws and queues nothing`() async throws {
        let queue = queue(RecordingSender(status: 503))
        await #expect(throws: OfflineError.statusCode(503, Data())) {
            try await queue.fetchWithOfflineSupport(endpoint: "/x", requestType: "t") as Data
        }
        #expect(await queue.pendingRequests == [])
        await queue.close()
    }

    @Test func `offline it queues without a try, and delivers under the same id`() async throws {
        let sender = RecordingSender()
        let queue = queue(sender)
        let received = deliveries(1, of: queue)
        try await running(queue) {
            network.set(false)
            // The queue reads the value in its own task.
            var tries = 0
            var id: UUID?
            try await eventually("a fetch that is queued") {
                tries = sender.requests.count
                id = try? await queued {
                    try await queue.fetchWithOfflineSupport(endpoint: "/x", requestType: "t") as Data
                }
                return id != nil
            }
            #expect(sender.requests.count == tries)
            network.set(true)
            let delivery = await received.value.first
            #expect(delivery?.request.id == id)
            #expect(delivery?.request.requestType == "t")
        }
        await queue.close()
    }

    @Test func `where no answer comes it queues the same request`() async throws {
        let queue = queue(RecordingSender { _ in throw Unreachable() })
        let id = try await queued { try await queue.fetchWithOfflineSupport(endpoint: "/x", requestType: "t") as Thing }
        #expect(await queue.pendingRequests.map(\.id) == [id])
        await queue.close()
    }

    @Test func `a cancelled fetch queues nothing`() async throws {
        let started = Gate<Void>()
        let queue = queue(
            RecordingSender { _ in
                started.open()
                await endOfTask()
                throw CancellationError()
            }
        )
        let task = Task { try await queue.fetchWithOfflineSupport(endpoint: "/x", requestType: "t") as Data }
        await started.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await queue.pendingRequests == [])
        await queue.close()
    }
}
