import Statistics
import Testing

@testable import SpeedTestCore

struct MeanRateTests {
    /// Samples each 100 ms of a line whose rate is a function of the second.
    private func samples(_ count: Int, _ rate: (Double) -> Double) -> [LoadSample] {
        var bytes = 0.0
        return (0...count).map { tick in
            defer { bytes += rate(Double(tick) / 10) / 10 }
            return LoadSample(time: .milliseconds(tick * 100), bytes: 0, segments: UInt64(bytes))
        }
    }

    @Test func `half the width of the interval is that of Student's t over blocks of a second`() throws {
        // Block means 1.1, 0.9, 1.1, 0.9, 1.0: their standard deviation is 0.1, t of four degrees of freedom 2.776.
        let rates = [1.1e6, 0.9e6, 1.1e6, 0.9e6, 1e6]
        let mean = try #require(MeanRate(samples(50) { rates[min(4, Int($0))] }))
        #expect(abs(mean.bytesPerSecond - 1e6) < 1)
        #expect(abs(try #require(mean.uncertainty) - 2.776 * 0.1 / 5.0.squareRoot()) < 0.0002)
    }

    /// What half the width of the interval of blocks with these means is beside Student's t.
    private func standardError(_ rates: [Double]) -> Double {
        let count = Double(rates.count)
        let mean = rates.reduce(0, +) / count
        let squares = rates.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / (count - 1) / count).squareRoot() / mean
    }

    /// Student's t at 97.5 %, by its expansion (Abramowitz and Stegun, 26.7.5).
    private func studentQuantile(_ degrees: Int) -> Double {
        let (z, n): (Double, Double) = (1.959964, Double(degrees))
        let s = z * z
        let second = ((5 * s + 16) * s + 3) / 96
        let third = (((3 * s + 19) * s + 17) * s - 15) / 384
        let fourth = ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92_160
        return z * (1 + ((s + 1) / 4 + (second + (third + fourth / n) / n) / n) / n)
    }

    @Test(arguments: 4...31)
    func `Student's t is that of the number of blocks`(blocks: Int) throws {
        // High and low by turns.
        let rates = (0..<blocks).map { $0.isMultiple(of: 2) ? 1.1e8 : 0.9e8 }
        let mean = try #require(MeanRate(samples(blocks * 10) { rates[min(blocks - 1, Int($0))] }))
        let found = try #require(mean.uncertainty) / standardError(rates)
        #expect(abs(found / studentQuantile(blocks - 1) - 1) < 0.002, "\(found)")
    }

    @Test func `a series of a minute has blocks of two seconds, as many as Student's t is known for`() throws {
        let rates = (0..<31).map { $0.isMultiple(of: 2) ? 1.1e8 : 0.9e8 }
        let mean = try #require(MeanRate(samples(620) { rates[min(30, Int($0 / 2))] }))
        #expect(abs(try #require(mean.uncertainty) / standardError(rates) - 2.042) < 0.001)
    }

    @Test func `a rate that swings more slowly than a block is not more certain for it`() throws {
        // Two seconds high, two low: blocks of a second are alike in pairs.
        let mean = try #require(MeanRate(samples(120) { Int($0) / 2 % 2 == 0 ? 1.1e6 : 0.9e6 }))
        // Six blocks of two seconds: deviation 0.1095, t of five degrees 2.571.
        #expect(abs(try #require(mean.uncertainty) - 2.571 * 0.10954 / 6.0.squareRoot()) < 0.0002)
    }

    @Test func `a count whose answers come late is as certain as another one of the same load that agrees with it`()
        throws
    {
        // Answers that are early and late by turns: 5 % from block to block, 1 MB/s on average.
        let late = try #require(MeanRate(samples(50) { Int($0) % 2 == 0 ? 1.05e6 : 0.95e6 }))
        let own = try #require(late.uncertainty)
        #expect(own > 0.05)
        // They differ by 0.5 % plus what the blocks leave.
        let difference = abs(late.bytesPerSecond / 1.005e6 - 1)
        #expect(late.uncertainty(beside: 1.005e6, 0.004) == 0.004 + difference)
        // One that differs, or is less certain, changes nothing.
        #expect(late.uncertainty(beside: 1.2e6, 0.004) == own && late.uncertainty(beside: 1e6, 0.2) == own)
        #expect(late.uncertainty(beside: 1e6, nil) == own && late.uncertainty(beside: 0, 0.002) == own)
    }

    @Test func `a steady rate is known to two in a thousand`() throws {
        #expect(MeanRate(samples(50) { _ in 1e6 })?.uncertainty == 0.002)
        // Blocks are shorter than a second where the series is.
        #expect(MeanRate(samples(10) { _ in 1e6 })?.uncertainty == 0.002)
    }

    @Test func `without enough samples or a byte the uncertainty is not known`() {
        #expect(MeanRate(samples(7) { _ in 1e6 })?.uncertainty == nil)
        #expect(MeanRate(samples(50) { _ in 0 })?.uncertainty == nil)
        #expect(MeanRate([]) == nil && MeanRate(samples(0) { _ in 1 }) == nil)
    }

    @Test func `one sample without a count of segments makes it a mean of bytes in order`() throws {
        var samples = samples(50) { _ in 1e6 }
        for index in samples.indices { samples[index].bytes = UInt64(index) * 50_000 }
        // Behind a hole.
        samples[30].bytes = samples[29].bytes
        #expect(try #require(MeanRate(samples)).isOfSegments)
        samples[7].segments = nil
        let mean = try #require(MeanRate(samples))
        #expect(!mean.isOfSegments && abs(mean.bytesPerSecond - 500_000) < 1)
        #expect(mean.payload(0.5) == UInt64(mean.bytes), "bytes of bodies need no share")
    }

    @Test func `a byte of segments carries its share of the bodies`() throws {
        let mean = try #require(MeanRate(samples(50) { _ in 1e6 }))
        #expect(mean.payload(0.9) == 4_500_000 && mean.payload(nil) == 5_000_000)
        #expect(mean.payload(-1) == 0 && mean.payload(.infinity) == 1 << 62)
    }
}
