import Statistics
import Testing

@testable import SpeedTestCore

struct ServerCountTests {
    private func count(
        _ json: String,
        arrival: Duration = .zero,
        beyondHoles: UInt64 = 0,
        written: UInt64 = .max
    ) -> ServerCount? {
        ServerCount(Array(json.utf8), beyondHoles: LoadSample(time: arrival, bytes: beyondHoles), written: written)
    }

    /// An answer each 100 ms while a line carries 1 MB a second.
    ///
    /// From `start` until `end`, in seconds, there is a hole, and the server reads that share of what arrives.
    private func answers(reading share: Double, from start: Double, untilFilled end: Double) throws -> [ServerCount] {
        try (0...50).map { tick in
            let time = Double(tick) / 10
            let waiting = time > start && time < end ? (time - start) * (1 - share) * 1e6 : 0
            // While all connections have a hole, no byte is read at all.
            let lastByteAt = share == 0 && waiting > 0 ? start : time
            let json = #"{"bytes":\#(Int(5e6 + time * 1e6 - waiting)),"lastByteAt":\#(100 + lastByteAt)}"#
            // The answers take 20 ms to 25 ms.
            let arrival = Duration.milliseconds(7020 + tick * 100 + tick % 6)
            return try #require(count(json, arrival: arrival, beyondHoles: UInt64(waiting)))
        }
    }

    @Test(arguments: [
        // Since the warm-up and longer than an end of the window moves; all at once; and at the end.
        (0.75, -1.0, 1.5), (0.5, -0.4, 3.0), (0.0, -0.3, 1.2), (0.0, 4.5, 6.0), (0.75, 3.0, 9.0), (1.0, 0.0, 0.0),
    ])
    func `bytes beyond a hole count when they arrive`(share: Double, start: Double, end: Double) throws {
        let answers = try answers(reading: share, from: start, untilFilled: end)
        let span = try #require(ServerCount.between(answers, atLeast: .seconds(2)))
        #expect(abs(span.bytesPerSecond / 1e6 - 1) < 0.005, "\(span.bytesPerSecond)")
    }

    @Test func `two answers have a rate by the server's own clock`() throws {
        let answers = [
            try #require(count(#"{"bytes":1000,"firstByteAt":5.0,"lastByteAt":10.0}"#)),
            try #require(count(#"{"bytes":1500,"firstByteAt":5.0,"lastByteAt":11.0}"#)),
            try #require(count(#"{"bytes":3000,"firstByteAt":5.0,"lastByteAt":12.0}"#)),
        ]
        let found = try #require(ServerCount.between(answers, atLeast: .seconds(1)))
        #expect(found.payload(nil) == 2000 && found.duration == .seconds(2))
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

    @Test func `an answer with more bytes than were sent is ignored`() {
        let answer = #"{"bytes":1000,"lastByteAt":10.0}"#
        #expect(count(answer, written: 999) == nil)
        #expect(count(answer, written: 1000)?.bytes == 1000)
    }

    @Test(arguments: ["", "null", "[]", #"{"bytes":-1}"#, #"{"bytes":1e300}"#, #"{"bytes":"1"}"#])
    func `any other answer is ignored`(text: String) { #expect(count(text) == nil) }
}
