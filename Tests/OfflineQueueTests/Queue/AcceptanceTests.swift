import Coordination
import Foundation
import Lab
import OfflineQueue
import Storage
import Testing

@Suite(.timeLimit(.minutes(3))) struct AcceptanceTests {
    private let folder: TemporaryFolder
    private let network = Network()

    init() throws { folder = try TemporaryFolder() }

    private func queue(_ sender: any RequestSender, limits: QueueLimits = QueueLimits()) -> RequestQueue {
        RequestQueue(path: folder.file, online: network.online, sender: sender, limits: limits)
    }

    @Test func `a known key is the first request, while it waits and after its delivery`() async throws {
        let queue = queue(RecordingSender())
        let received = deliveries(1, of: queue)
        let first = try await queue.enqueue(request(1, key: "k"))
        let again = try await queue.enqueue(request(2, key: "k"))
        #expect(again.id == first.id && !again.isNew)
        #expect(queue.statistics.pending == 1)
        try await running(queue) {
            network.set(true)
            _ = await received.value
        }
        let later = try await queue.enqueue(request(3, key: "k"))
        #expect(later.id == first.id && !later.isNew)
        let other = try await queue.enqueue(request(4, key: "other"))
        #expect(other.isNew)
        #expect(queue.statistics.pending == 1)
        await queue.close()
    }

    @Test func `of what has left the queue and not the file, only the key of what was delivered is known`() async throws
    {
        let database = try Database(file: nil, schema: RequestQueue.schema)
        let queue = RequestQueue(database: database, online: network.online, sender: RecordingSender())
        let refuse = "CREATE TRIGGER refuse BEFORE DELETE ON queue_request BEGIN SELECT RAISE(ABORT, 'full'); END"
        try await database.write { try $0.run(refuse) }
        let received = deliveries(1, of: queue)
        let cancelled = try await queue.enqueue(request(1, key: "cancelled")).id
        await #expect(throws: OfflineError.self) { try await queue.cancelRequest(id: cancelled) }
        let delivered = try await queue.enqueue(request(2, key: "delivered")).id
        try await running(queue) {
            network.set(true)
            _ = await received.value
        }
        #expect(queue.statistics.pending == 0)
        try await database.write { try $0.run("DROP TRIGGER refuse") }
        #expect(try await queue.enqueue(request(3, key: "cancelled")).isNew)
        let again = try await queue.enqueue(request(4, key: "delivered"))
        #expect(again.id == delivered && !again.isNew)
        await queue.close()
    }

    @Test func `a limit refuses with an error, and stores nothing`() async throws {
        let queue = queue(RecordingSender(), limits: QueueLimits(maxRequests: 2, maxBytes: 1000))
        let large = RetryableRequest(endpoint: "https://h", method: "PUT", body: Data(count: 1000), requestType: "")
        await #expect(throws: OfflineError.tooLarge(1000 + "https://hPUT".utf8.count)) {
            try await queue.enqueue(large)
        }
        for number in 1...2 { try await queue.enqueue(request(number)) }
        await #expect(throws: OfflineError.full) { try await queue.enqueue(request(3)) }
        #expect(queue.statistics.rejected == [.tooLarge: 1, .full: 1])
        #expect(await queue.pendingRequests.count == 2)
        await queue.close()
    }

    @Test func `a known key is the stored request, also where there is no room for another`() async throws {
        let queue = queue(RecordingSender(), limits: QueueLimits(maxRequests: 2, maxBytes: 1000))
        let ids = [try await queue.enqueue(request(1, key: "k")).id, try await queue.enqueue(request(2)).id]
        let large = RetryableRequest(
            endpoint: "https://h",
            method: "PUT",
            body: Data(count: 1000),
            requestType: "",
            idempotencyKey: "k"
        )
        for again in [request(3, key: "k"), large] {
            let acceptance = try await queue.enqueue(again)
            #expect(acceptance.id == ids[0] && !acceptance.isNew)
        }
        await #expect(throws: OfflineError.full) { try await queue.enqueue(request(4, key: "other")) }
        #expect(queue.statistics.rejected == [.full: 1])
        #expect(await queue.pendingRequests.map(\.id) == ids)
        await queue.close()
    }

    @Test func `what is too old is refused`() async throws {
        let queue = queue(RecordingSender())
        await #expect(throws: OfflineError.invalidRequest("it is older than it may be")) {
            try await queue.enqueue(request(1, expiresAt: Date() - 1))
        }
        await queue.close()
    }

    @Test func `waits for a requirement, which must be one that can be judged`() async throws {
        let refusing = queue(RecordingSender())
        await #expect {
            try await refusing.enqueue(request(1, requirement: "unmetered"))
        } throws: {
            if case OfflineError.invalidRequest = $0 { true } else { false }
        }
        await refusing.close()
        let isUnmetered = Locked(false)
        let sender = RecordingSender()
        let queue = RequestQueue(path: folder.file, online: Network(true).online, sender: sender) { name in
            name == "unmetered" && isUnmetered.withLock { $0 }
        }
        let received = deliveries(2, of: queue)
        try await queue.enqueue(request(1, orderingKey: "a", requirement: "unmetered"))
        try await queue.enqueue(request(2, orderingKey: "b"))
        try await running(queue) {
            try await eventually("the first delivery") { !sender.requests.isEmpty }
            #expect(sender.requests.map(\.orderingKey) == ["b"])
            isUnmetered.withLock { $0 = true }
            await queue.forceTriggerRetry()
            #expect(await received.value.map(\.request.orderingKey) == ["b", "a"])
        }
        await queue.close()
    }

    @Test(arguments: [
        ("/relative", "POST", [:]), ("ftp://h/x", "POST", [:]), ("https:///x", "POST", [:]), ("", "POST", [:]),
        ("https://h/x", "OPTIONS", [:]), ("https://h/x", "post", [:]), ("https://h/x", "GET", [:]),
        ("https://h/x", "POST", ["X": "a\r\nb"]), ("https://user:secret@h/x", "POST", [:]),
        ("https://user@h/x", "POST", [:]), ("https://:secret@h/x", "POST", [:]), ("https://@h/x", "POST", [:]),
        ("https://h/x", "POST", ["X": String(repeating: "x", count: 65_536)]),
        ("https://h/\(String(repeating: "x", count: 65_536))", "POST", [:]),
    ])
    func `what can never be sent is refused`(_ endpoint: String, _ method: String, _ headers: [String: String]) async {
        let queue = queue(RecordingSender())
        await #expect {
            try await queue.cacheRequest(
                endpoint: endpoint,
                method: method,
                body: Data("x".utf8),
                requestType: "t",
                headers: headers
            )
        } throws: {
            if case OfflineError.invalidRequest = $0 { true } else { false }
        }
        #expect(queue.statistics.pending == 0)
        await queue.close()
    }

    @Test(arguments: [
        "Host", "connection", "Content-Length", "Transfer-Encoding", "Expect", "TE", "Trailer", "Upgrade", "Keep-Alive",
        "HTTP2-Settings", "Proxy-Authorization", "proxy-connection",
    ])
    func `a header that only the owner of the connection may set is refused, by its name`(_ name: String) async {
        let queue = queue(RecordingSender())
        await #expect {
            try await queue.cacheRequest(
                endpoint: "https://h/x",
                method: "POST",
                requestType: "t",
                headers: [name: "100-continue"]
            )
        } throws: { error in
            guard case OfflineError.invalidRequest(let reason) = error else { return false }
            return reason.contains(name)
        }
        await queue.close()
    }

    @Test(arguments: ["", "a\nb", "a\rb", "a\0b", "a\u{1}b", "a\u{7f}", String(repeating: "é", count: 128)])
    func `an idempotency key that no header can have is refused`(_ key: String) async throws {
        let queue = queue(RecordingSender())
        await #expect {
            try await queue.enqueue(request(1, key: key))
        } throws: { error in
            guard case OfflineError.invalidRequest(let reason) = error else { return false }
            return reason.contains("idempotency key")
        }
        await #expect(throws: OfflineError.self) {
            try await queue.cacheRequest(
                endpoint: "https://h/x",
                method: "POST",
                requestType: "t",
                headers: ["idempotency-key": key]
            )
        }
        let longest = String(repeating: "é", count: 127) + "e"
        #expect(try await queue.enqueue(request(2, key: longest)).isNew)
        #expect(await queue.pendingRequests.map(\.idempotencyKey) == [longest])
        await queue.close()
    }

    @Test func `no error holds the user info of a URL`() async {
        let queue = queue(RecordingSender())
        let error = await #expect(throws: OfflineError.self) {
            try await queue.cacheRequest(endpoint: "https://me:secret@h/x", method: "POST", requestType: "t")
        }
        #expect(error.map { !"\($0)".contains("secret") && !"\($0)".contains("me:") } == true)
        await queue.close()
    }

    @Test func `a relative endpoint is below the base URL, whose path is kept`() async throws {
        let base = URL(string: "https://api.example.com/v1?key=k")
        let queue = RequestQueue(path: folder.file, online: network.online, sender: RecordingSender(), baseURL: base)
        for endpoint in ["/users?id=1", "users", "https://other.example/x"] {
            try await queue.cacheRequest(endpoint: endpoint, method: "GET", requestType: "t")
        }
        #expect(
            await queue.pendingRequests.map(\.endpoint) == [
                "https://api.example.com/v1/users?key=k&id=1", "https://api.example.com/v1/users?key=k",
                "https://other.example/x",
            ]
        )
        await queue.close()
    }

    @Test func `a file that cannot be opened is an error of each use`() async throws {
        let queue = RequestQueue(
            path: "\(folder.path)/none/queue.db",
            online: network.online,
            sender: RecordingSender()
        )
        await #expect {
            try await queue.enqueue(request(1))
        } throws: {
            if case OfflineError.storage = $0 { true } else { false }
        }
        #expect(queue.failure != nil)
        #expect(await queue.pendingRequests == [])
        #expect(queue.statistics.rejected == [.storage: 1])
        // Returns at once.
        await queue.run()
        await queue.close()
    }
}
