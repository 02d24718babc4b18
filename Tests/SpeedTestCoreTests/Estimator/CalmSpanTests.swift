import Statistics
import Testing

@testable import SpeedTestCore

struct CalmSpanTests {
    /// A line of 1 MB a second, sampled each 100 ms, that holds everything back in some of them.
    private func samples(_ count: Int, holding held: ClosedRange<Int>) -> [LoadSample] {
        (0...count).map { tick in
            let last = held.contains(tick) ? held.lowerBound - 1 : tick
            return LoadSample(time: .milliseconds(tick * 100), bytes: UInt64(10_000_000 + last * 100_000))
        }
    }

    @Test(arguments: [0...0, 1...3, -5...6, 14...15, 27...29, 27...33, 30...30, 22...30])
    func `delayed bytes at an end or midway do not change the rate`(held: ClosedRange<Int>) throws {
        let span = try #require(CalmSpan(samples(30, holding: held)))
        #expect(abs(span.bytesPerSecond - 1e6) < 1e-3)
        #expect(span.duration >= .seconds(1) && span.duration <= .seconds(3))
        #expect(span.bytesPerSecond == Double(span.bytes) / span.duration.seconds)
    }

    @Test func `two thirds of a short series remain`() throws {
        let samples = (0...6).map { LoadSample(time: .milliseconds($0 * 10), bytes: UInt64($0 * $0)) }
        let span = try #require(CalmSpan(samples))
        #expect(span.first.time <= .milliseconds(10) && span.last.time >= .milliseconds(50))
    }

    @Test func `without time there is no rate`() {
        #expect(CalmSpan([LoadSample]()) == nil)
        let sample = LoadSample(time: .seconds(1), bytes: .max)
        #expect(CalmSpan([sample]) == nil && CalmSpan([sample, sample]) == nil)
        let end = LoadSample(time: .seconds(2), bytes: 0)
        #expect(CalmSpan([sample, end])?.bytesPerSecond == 0)
    }
}

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
