import Testing

@testable import SpeedTestCore

struct LostBytesTests {
    private func sample(_ milliseconds: Int, _ bytes: UInt64) -> LoadSample {
        LoadSample(time: .milliseconds(milliseconds), bytes: bytes)
    }

    /// Four requests of 1 MB/s, of which the last one fails at `end`: the load as it was seen, and its bytes.
    private func line(until end: Int) -> (samples: [LoadSample], lost: LostBytes) {
        let samples = (0...60).map { sample($0 * 100, UInt64($0) * 400_000) }
        var lost = LostBytes()
        let own = samples.filter { $0.time <= .milliseconds(end) }
            .map { LoadSample(time: $0.time, bytes: $0.bytes / 4) }
        lost.add(own, total: own.last?.bytes ?? 0)
        return (samples, lost)
    }

    @Test func `a failed request is taken from every sample that it was in`() {
        let (samples, lost) = line(until: 6000)
        var window = SteadyWindow(start: samples[20], length: .seconds(3) ... .seconds(10))
        for sample in samples[21...] { window.add(sample) }
        let kept = window.without(lost)
        #expect(kept.samples.map(\.bytes) == samples[20...].map { $0.bytes / 4 * 3 })
        #expect(kept.mean?.bytesPerSecond == 3e6)
        #expect(kept.isSettled && kept.lost == 4_000_000, "the part that it moved in the window")
        #expect(kept.bytes == 12_000_000)
    }

    @Test func `samples after its end never had it`() {
        let (samples, lost) = line(until: 3000)
        #expect(samples[31].without(lost) == samples[31] && samples[30].without(lost) == sample(3000, 9_000_000))
    }

    @Test func `a request that failed between two samples is lost too`() {
        var lost = LostBytes()
        lost.add([], total: 500)
        #expect(!lost.isEmpty)
        let window = SteadyWindow(start: sample(100, 10), length: .seconds(3) ... .seconds(10)).without(lost)
        #expect(window.lost == 500 && window.start == sample(100, 10))
    }

    @Test func `a plan continues without it, and no sample is below the one before`() throws {
        let (samples, lost) = line(until: 4000)
        var plan = LoadPlan(share: nil, length: .seconds(3) ... .seconds(10))
        for sample in samples[1...40] { _ = plan.take(sample, isExhausted: false, isProbed: false) }
        plan.remove(lost)
        for sample in samples[41...] {
            let rest = LoadSample(time: sample.time, bytes: sample.bytes / 4 * 3)
            _ = plan.take(rest, isExhausted: false, isProbed: false)
        }
        let window = try #require(plan.window)
        #expect(zip(window.samples, window.samples.dropFirst()).allSatisfy { $0.bytes < $1.bytes })
        #expect(abs(try #require(window.mean).bytesPerSecond / 3e6 - 1) < 1e-9)
    }
}
