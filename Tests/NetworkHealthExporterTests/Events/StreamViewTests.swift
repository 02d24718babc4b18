import MicroHTTP
import Testing

@testable import NetworkHealthExporter

struct StreamViewTests {
    @Test func `HEAD gets the head of a stream, which has no length, also where no more readers are accepted`() {
        let log = EventLog()
        let view = StreamView(log: log)
        var readers: [EventLog.Reader] = []
        while let reader = log.follow(after: nil, peer: nil), readers.count < 10_000 { readers.append(reader) }
        let answer = view.answer(Request(method: .head, path: "/api/v1/stream", peer: "127.0.0.1"))
        guard case .stream = answer.body else {
            Issue.record("\(answer)")
            return
        }
        #expect(answer.status == 200 && view.answer(Request(path: "/api/v1/stream", peer: "127.0.0.1")).status == 503)
        withExtendedLifetime(readers) {}
    }
}
