import Foundation
import Lab
import OfflineQueue
import Storage
import Testing

@Suite(.timeLimit(.minutes(3))) struct OverviewTests {
    private let folder: TemporaryFolder
    private let network = Network()

    init() throws { folder = try TemporaryFolder() }

    @Test func `one request is found by its id, without its body, until it has left`() async throws {
        let queue = RequestQueue(path: folder.file, online: network.online, sender: RecordingSender())
        let ids = [try await queue.enqueue(request(1)).id, try await queue.enqueue(request(2)).id]
        let found = try #require(try await queue.overview(id: ids[1]))
        #expect(found.request.endpoint == "https://api.example.com/2" && found.request.body == nil)
        #expect(found.lastFailure == nil && !found.isSending)
        #expect(try await queue.overview(id: UUID()) == nil)
        try await queue.cancelRequest(id: ids[1])
        #expect(try await queue.overview(id: ids[1]) == nil)
        #expect(try await queue.overview().map(\.request.id) == [ids[0]])
        await queue.close()
    }

    @Test(arguments: ["9e999", "-9e999", "1.7e308"])
    func `the time of a request in a damaged file can be written as a date`(made: String) async throws {
        let database = try Database(file: nil, schema: RequestQueue.schema)
        let queue = RequestQueue(database: database, online: network.online, sender: RecordingSender())
        try await queue.enqueue(request(1))
        try await database.write { try $0.run("UPDATE queue_request SET made = \(made)") }
        let found = try #require(try await queue.overview().first)
        #expect(abs(found.request.timestamp.timeIntervalSince1970) < 1e12)
        await queue.close()
    }

    @Test func `a reset can leave the requests of one type`() async throws {
        let queue = RequestQueue(path: folder.file, online: network.online, sender: RecordingSender())
        for number in 1...3 { try await queue.enqueue(request(number)) }
        try await queue.cacheRequest(endpoint: "https://h/kept", method: "POST", requestType: "kept")
        try await queue.reset(except: "kept")
        #expect(await queue.pendingRequests.map(\.requestType) == ["kept"])
        #expect(queue.statistics.discarded == [.reset: 3])
        #expect(queue.statistics.pending == 1)
        await queue.close()
    }

    @Test func `new limits are those of the next request, and of those that wait`() async throws {
        let queue = RequestQueue(path: folder.file, online: network.online, sender: RecordingSender())
        try await queue.enqueue(request(1, timestamp: Date() - 3600))
        queue.apply(QueueLimits(maxRequests: 1, maxAge: .seconds(7200)))
        await #expect(throws: OfflineError.full) { try await queue.enqueue(request(2)) }
        try await running(queue) {
            queue.apply(QueueLimits(maxAge: .seconds(60)))
            try await eventually("the old one left") { queue.statistics.discarded == [.expired: 1] }
        }
        await queue.close()
    }
}
