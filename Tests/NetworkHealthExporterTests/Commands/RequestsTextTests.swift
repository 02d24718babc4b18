import Testing

@testable import NetworkHealthExporter

struct RequestsTextTests {
    private static func list(_ rows: String...) -> [UInt8] { Array("[\(rows.joined(separator: ","))]".utf8) }

    private static func row(_ fields: String, state: String = "waiting", attempts: Int = 0) -> String {
        #"{"id":"1","url":"https://h/a","method":"POST","state":"\#(state)","attempts":\#(attempts)\#(fields)}"#
    }

    @Test(arguments: [
        (row(""), "waits for its first try."), (row("", state: "sending"), "is being sent."),
        (row(#","reason":null,"requirement":"unmetered""#), "waits for its first try. It needs unmetered."),
        (
            row(#","reason":"status","lastStatus":503"#, attempts: 1),
            "waits after 1 failed answer, the last with status 503."
        ),
        (
            row(#","reason":"status","lastStatus":429"#, attempts: 3),
            "waits after 3 failed answers, the last with status 429."
        ),
        (
            row(#","reason":"no_answer","lastError":"timed out""#, attempts: 2),
            "waits after 2 failed answers: the last try had no answer (timed out)."
        ),
        (row(#","reason":"no_answer""#), "waits: the last try had no answer."),
        (row(#","reason":"address","lastError":"127.0.0.1 is not allowed""#), "waits: 127.0.0.1 is not allowed."),
    ])
    func `each request is a sentence`(row: String, sentence: String) {
        let text = RequestsText.list(Self.list(row))
        #expect(text == "1 request is in the queue:\n  1  POST https://h/a \(sentence)\n")
    }

    @Test func `the list begins with the number`() {
        #expect(RequestsText.list(Self.list()) == "No request is in the queue.\n")
        let two = RequestsText.list(Self.list(Self.row(""), Self.row("")))
        #expect(two?.hasPrefix("2 requests are in the queue:\n") == true)
        #expect(RequestsText.list(Array("<html>".utf8)) == nil)
    }

    @Test func `what was done is a sentence, or JSON`() {
        #expect(RequestsText.done(.retry, nil) == "Every request is tried again as soon as the network allows it.\n")
        #expect(RequestsText.done(.cancel, "1") == "The request 1 was removed from the queue.\n")
        #expect(RequestsText.done(.reset, nil) == "Every request was removed from the queue.\n")
        #expect(RequestsText.document(.cancel, "1") == "{\"done\":\"cancel\",\"id\":\"1\"}\n")
        #expect(RequestsText.document(.reset, nil) == "{\"done\":\"reset\",\"id\":null}\n")
    }
}
