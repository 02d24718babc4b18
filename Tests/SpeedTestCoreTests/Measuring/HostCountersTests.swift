import Testing

@testable import SpeedTestCore

struct HostCountersTests {
    @Test func `a thread that runs or waits for a processor for more than nine tenths of the window limits it`() {
        let start = HostCounters(time: .seconds(2), busy: .seconds(1))
        func limits(_ busy: Double) -> Set<DirectionReport.Limit> {
            HostCounters(time: .seconds(7), busy: .seconds(1) + .seconds(5 * busy)).limits(since: start, ours: 1)
        }
        #expect(limits(0.91) == [.cpu] && limits(0.89).isEmpty)
        #expect(HostCounters(time: .seconds(7)).limits(since: start, ours: 1).isEmpty)
    }

    @Test(arguments: [
        ProcessorContention(stolen: .milliseconds(1260)), .init(waiting: .milliseconds(1260)),
        .init(throttled: .milliseconds(1260)),
    ])
    func `processors that are withheld for a quarter of the window limit it`(contention: ProcessorContention) {
        let start = HostCounters(time: .seconds(2))
        let end = HostCounters(time: .seconds(7), contention: contention)
        #expect(end.limits(since: start, ours: 1) == [.cpu])
        #expect(HostCounters(time: .seconds(8), contention: contention).limits(since: start, ours: 1).isEmpty)
    }

    @Test func `a tenth of other traffic is reported, headers do not count`() {
        let start = HostCounters(time: .zero, device: 1000)
        func limits(_ carried: UInt64) -> Set<DirectionReport.Limit> {
            HostCounters(time: .seconds(5), device: 1000 + carried).limits(since: start, ours: 1_000_000)
        }
        #expect(limits(1_060_000).isEmpty && limits(1_150_000).isEmpty && limits(1_170_000) == [.crossTraffic])
        #expect(HostCounters(time: .seconds(5), device: 0).limits(since: start, ours: 1).isEmpty, "a device made anew")
    }

    @Test func `what the test itself sends again is no other traffic`() {
        func limits(own: UInt64?) -> Set<DirectionReport.Limit> {
            HostCounters(time: .seconds(5), device: 1_301_000, own: own.map { 7000 + $0 })
                .limits(since: HostCounters(time: .zero, device: 1000, own: own.map { _ in 7000 }), ours: 1_000_000)
        }
        #expect(limits(own: nil) == [.crossTraffic] && limits(own: 900_000) == [.crossTraffic])
        #expect(limits(own: 1_200_000).isEmpty)
    }

    @Test func `the progress has the rate of the last second`() throws {
        var rate = ProgressRate(.upload, window: .seconds(10))
        #expect(rate.bytesPerSecond == nil && rate.progress.fraction == 0)
        for tick in 1...30 {
            let bytes = UInt64(tick <= 10 ? tick * 100 : 1000 + (tick - 10) * 300)
            rate.add(LoadSample(time: .milliseconds(tick * 100), bytes: bytes))
        }
        #expect(abs(try #require(rate.bytesPerSecond) - 3000) < 1)
        #expect(rate.progress.phase == .upload && rate.progress.fraction == 0.25)
        rate.add(LoadSample(time: .seconds(99), bytes: 1_000_000))
        #expect(rate.progress.fraction == 1)
    }
}
