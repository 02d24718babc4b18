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
