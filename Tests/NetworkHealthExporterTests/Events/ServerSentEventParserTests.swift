import Testing

@testable import NetworkHealthExporter

struct ServerSentEventParserTests {
    private static let events = [
        ServerSentEvent(id: "7-1", kind: .snapshot, data: Array(#"{"a":"b: c"}"#.utf8)),
        ServerSentEvent(id: "7-2", kind: .transition, data: Array("{}".utf8)),
    ]

    @Test(arguments: [1, 2, 7, 1000])
    func `reads what a server writes, however it is cut, without comments`(size: Int) {
        let bytes = ServerSentEvent.heartbeat + Self.events[0].bytes + ServerSentEvent.heartbeat + Self.events[1].bytes
        var parser = ServerSentEventParser()
        var read: [ServerSentEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            read += parser.take(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(read == Self.events)
    }

    @Test func `a long line is dropped with its event, and the next one is read`() {
        var parser = ServerSentEventParser()
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 3 * ServerSentEventParser.maxLine)
        let bytes = Array("event: snapshot\ndata: ".utf8) + long + Array("\n\n".utf8) + Self.events[0].bytes
        #expect(parser.take(bytes) == [Self.events[0]])
    }

    @Test(arguments: [
        "event: snapshot\n\n", "data: {}\n\n", "event: other\ndata: {}\n\n", ":\n\n\n\n", "\n: \nnonsense\n\n",
    ])
    func `what has no data or no known kind is no event`(text: String) {
        var parser = ServerSentEventParser()
        #expect(parser.take(Array(text.utf8)).isEmpty)
    }
}
