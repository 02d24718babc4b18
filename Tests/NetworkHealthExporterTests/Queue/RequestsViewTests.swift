import FoundationEssentials
import MicroHTTP
import OfflineQueue
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite struct RequestsViewTests {
    private func view(isEnabled: Bool = true, of queue: RequestQueue? = nil) -> RequestsView {
        var section = OfflineQueueSection()
        section.isEnabled = isEnabled
        return RequestsView(
            queue: queue ?? RequestQueue(path: "/nonexistent/queue.db", online: AsyncStream { $0.finish() }),
            activity: QueueActivity(),
            prefix: "",
            browsers: BrowserGuard(names: KnownNames()),
            configuration: { [section] in section },
            isRequirement: { _ in true }
        )
    }

    private func status(_ headers: Headers) -> Int? {
        var request = Request(method: .post, path: RequestsView.path)
        request.headers = headers
        return view().refusal(of: request)?.status
    }

    @Test func `a body of another type or coding is refused before it is read`() {
        #expect(status(["Content-Type": "application/json"]) == nil)
        #expect(status(["Content-Type": "application/json; charset=utf-8", "Content-Encoding": "identity"]) == nil)
        #expect(status(["Content-Type": "text/plain"]) == 415)
        #expect(status(["Content-Type": "application/json", "Content-Encoding": "gzip"]) == 415)
        #expect(status(["Content-Type": "application/json", "Content-Encoding": "Identity"]) == nil)
    }

    @Test func `only a request that is handed over counts as refused by a disabled queue`() {
        let view = view(isEnabled: false)
        for path in ["", "/retry", "/1C6A2B0E-0000-0000-0000-000000000000/retry"] {
            #expect(view.refusal(of: Request(method: .post, path: RequestsView.path + path))?.status == 403)
        }
        #expect(view.refusal(of: Request(method: .get, path: RequestsView.path))?.status == 403)
        #expect(view.refusals == 1)
    }

    @Test func `a file that cannot be read is no empty list`() async {
        let view = view()
        let one = RequestsView.path + "/1C6A2B0E-0000-0000-0000-000000000000"
        let answers = [
            await view.list(Request(method: .get, path: RequestsView.path)),
            await view.one(Request(method: .get, path: one)),
            await view.retry(Request(method: .post, path: one + "/retry")),
            await view.remove(Request(method: .delete, path: one)),
        ]
        #expect(answers.map(\.status) == [507, 507, 507, 507])
    }

    @Test func `nor is one that was read once and cannot be read any more`() async throws {
        let database = try Database(file: nil, schema: RequestQueue.schema)
        struct NoSender: RequestSender {
            func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
                DeliveryResponse(statusCode: 200)
            }
        }
        let queue = RequestQueue(database: database, online: AsyncStream { $0.finish() }, sender: NoSender())
        let id = UUID()
        try await queue.enqueue(RetryableRequest(id: id, endpoint: "https://h/", method: "POST", requestType: "x"))
        let view = view(of: queue)
        let one = Request(method: .get, path: RequestsView.path + "/" + id.uuidString)
        #expect(await view.one(one).status == 200)
        try await database.write { try $0.run("DROP TABLE queue_request") }
        #expect(await view.one(one).status == 507)
        #expect(await view.list(Request(method: .get, path: RequestsView.path)).status == 507)
    }
}
