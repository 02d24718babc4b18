import MicroHTTP
import OfflineQueue
import Testing

@testable import NetworkHealthExporter

@Suite struct RequestsViewTests {
    private func status(_ headers: Headers) -> Int? {
        var section = OfflineQueueSection()
        section.isEnabled = true
        let view = RequestsView(
            queue: RequestQueue(path: "/nonexistent/queue.db", online: AsyncStream { $0.finish() }),
            activity: QueueActivity(),
            prefix: "",
            browsers: BrowserGuard(names: KnownNames()),
            configuration: { [section] in section },
            isRequirement: { _ in true }
        )
        var request = Request(method: .post, path: RequestsView.path)
        request.headers = headers
        return view.refusal(of: request)?.status
    }

    @Test func `a body of another type or coding is refused before it is read`() {
        #expect(status(["Content-Type": "application/json"]) == nil)
        #expect(status(["Content-Type": "application/json; charset=utf-8", "Content-Encoding": "identity"]) == nil)
        #expect(status(["Content-Type": "text/plain"]) == 415)
        #expect(status(["Content-Type": "application/json", "Content-Encoding": "gzip"]) == 415)
        #expect(status(["Content-Type": "application/json", "Content-Encoding": "Identity"]) == nil)
    }
}
