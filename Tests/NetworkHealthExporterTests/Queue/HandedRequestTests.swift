import Foundation
import OfflineQueue
import Testing

@testable import NetworkHealthExporter

@Suite struct HandedRequestTests {
    private func read(_ json: String) throws -> HandedRequest { try HandedRequest(Array(json.utf8)) }

    @Test func `every key is read, and what waits for nothing else waits for online`() throws {
        let section = OfflineQueueSection()
        let request = try read(
            """
            {"url":"https://api.test/a","method":"PUT","headers":{"A":"b"},"bodyBase64":"aGk=","requestType":"order",
             "idempotencyKey":"k","orderingKey":"o","requirement":"unmetered","expiresAt":"2026-11-22T08:00:00Z"}
            """
        ).request(section) { $0 == "unmetered" }
        #expect(request.endpoint == "https://api.test/a" && request.method == "PUT" && request.headers == ["A": "b"])
        #expect(request.body == Data("hi".utf8) && request.requestType == "order")
        #expect(request.idempotencyKey == "k" && request.orderingKey == "o" && request.requirement == "unmetered")
        #expect(request.expiresAt == Date(timeIntervalSince1970: 1_795_334_400))
        let short = try read(#"{"url":"http://h/","body":"é"}"#).request(section) { _ in false }
        #expect(short.method == "POST" && short.body == Data("é".utf8) && short.requirement == "online")
    }

    @Test(arguments: ["[", "{\"a\":", "0,"])
    func `thousands of values are refused before they are decoded, and not where they are text`(part: String) throws {
        let text = String(repeating: part, count: 1001)
        let error = #expect(throws: HandedRequest.Mistake.self) {
            try read(#"{"url":"http://h/","headers":[\#(text)0]}"#)
        }
        #expect(error?.message == "expected at most 1000 values")
        let quoted = text.replacing("\"", with: "\\\"")
        #expect(try read(#"{"url":"http://h/","body":"\#(quoted)"}"#).body == text)
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian])
    func `other encodings than UTF-8 are refused, since their values cannot be counted`(
        encoding: String.Encoding
    ) throws {
        // U+2201 has a byte of a quote.
        let values = String(repeating: "0,", count: 1001)
        let json = try #require(#"{"url":"∁","headers":[\#(values)0]}"#.data(using: encoding))
        let error = #expect(throws: HandedRequest.Mistake.self) { try HandedRequest(Array(json)) }
        #expect(error?.message == "expected JSON in UTF-8")
    }

    @Test func `a mistake quotes 400 characters at most`() {
        let error = #expect(throws: HandedRequest.Mistake.self) {
            try read(#"{"\#(String(repeating: "k", count: 100_000))":1}"#)
        }
        #expect(error?.message.count == 400)
    }

    @Test(arguments: [
        ("", "expected a JSON object"), ("[]", "expected a JSON object"),
        (#"{"url":1}"#, #"the key "url" has the wrong type"#),
        (#"{"method":"POST"}"#, #"the key "url" is missing"#), (#"{"url":"http://h/","urk":1}"#, #"unknown key "urk""#),
        (#"{"url":"http://h/","expiresAt":"tomorrow"}"#, #"the key "expiresAt" is not valid"#),
        (#"{"url":"http://h/","headers":{"a":1}}"#, #"the key "headers.a" has the wrong type"#),
        (#"{"url":"http://h/","body":"a","bodyBase64":""}"#, "at most one of body and bodyBase64"),
        (#"{"url":"http://h/","bodyBase64":"%"}"#, "bodyBase64 is not base64"),
        (#"{"url":"http://h/","requirement":"x"}"#, #"there is no requirement "x""#),
        (#"{"url":"http://h/","requestType":"network-health-webhook"}"#, "is that of webhooks"),
    ])
    func `a mistake is named`(json: String, message: String) {
        let error = #expect(throws: HandedRequest.Mistake.self) {
            try read(json).request(OfflineQueueSection()) { _ in false }
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
