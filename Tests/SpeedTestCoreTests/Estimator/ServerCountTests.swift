import Testing

@testable import SpeedTestCore

struct ServerCountTests {
    private func count(_ json: String) -> ServerCount? { ServerCount(Array(json.utf8)) }

    @Test func `two answers have a rate by the server's own clock`() throws {
        let answers = [
            try #require(count(#"{"bytes":1000,"firstByteAt":5.0,"lastByteAt":10.0}"#)),
            try #require(count(#"{"bytes":1500,"firstByteAt":5.0,"lastByteAt":11.0}"#)),
            try #require(count(#"{"bytes":3000,"firstByteAt":5.0,"lastByteAt":12.0}"#)),
        ]
        let found = try #require(ServerCount.between(answers, atLeast: .seconds(1)))
        #expect(found.bytes == 2000 && found.duration == .seconds(2))
        #expect(ServerCount.between(answers, atLeast: .seconds(3)) == nil)
    }

    @Test(arguments: [
        [#"{"bytes":1000,"lastByteAt":10.0}"#, #"{"bytes":900,"lastByteAt":11.0}"#],
        [#"{"bytes":1000,"lastByteAt":10.0}"#, #"{"bytes":2000,"lastByteAt":9.0}"#],
        [#"{"bytes":1000,"lastByteAt":-1e300}"#, #"{"bytes":2000,"lastByteAt":1e300}"#],
        [#"{"bytes":1000,"lastByteAt":null}"#, #"{"bytes":2000,"lastByteAt":9.0}"#],
        [#"{"bytes":1000,"lastByteAt":1.0}"#],
    ])
    func `contradictory answers have no result`(texts: [String]) throws {
        let answers = try texts.map { try #require(count($0)) }
        #expect(ServerCount.between(answers, atLeast: .zero) == nil)
    }

    @Test(arguments: ["", "null", "[]", #"{"bytes":-1}"#, #"{"bytes":1e300}"#, #"{"bytes":"1"}"#])
    func `any other answer is ignored`(text: String) { #expect(count(text) == nil) }
}
