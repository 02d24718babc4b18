import Statistics
import Testing

@testable import SpeedTestCore

struct HostCountersTests {
    @Test func `a thread that runs or waits for a processor for more than nine tenths of the window limits it`() {
        let start = HostCounters(time: .seconds(2), busy: .seconds(1))
        func limits(_ busy: Double) -> Set<DirectionReport.Limit> {
            HostCounters(time: .seconds(7), busy: .seconds(1) + .seconds(5 * busy)).limits(since: start)
        }
        #expect(limits(0.91) == [.cpu] && limits(0.89).isEmpty)
        #expect(HostCounters(time: .seconds(7)).limits(since: start).isEmpty)
    }

    @Test(arguments: [
        ProcessorContention(stolen: .milliseconds(1260)), .init(waiting: .milliseconds(1260)),
        .init(throttled: .milliseconds(1260)),
    ])
    func `processors that are withheld for a quarter of the window limit it`(contention: ProcessorContention) {
        let start = HostCounters(time: .seconds(2))
        let end = HostCounters(time: .seconds(7), contention: contention)
        #expect(end.limits(since: start) == [.cpu])
        #expect(HostCounters(time: .seconds(8), contention: contention).limits(since: start).isEmpty)
    }

    /// Counters of a device and of a test beside it, at the end of five seconds.
    private static func counters(
        device bytes: UInt64?,
        packets: UInt64 = 700,
        own: UInt64,
        refresh: Duration = .zero,
        after time: Duration = .seconds(5)
    ) -> HostCounters {
        let way = bytes.map { DeviceCount.Way(bytes: 1000 + $0, packets: 10 + packets) }
        return HostCounters(time: time, traffic: .init(device: way, refresh: refresh, own: 7000 + own))
    }

    private static let start = HostCounters(
        time: .zero,
        traffic: .init(device: DeviceCount.Way(bytes: 1000, packets: 10), own: 7000)
    )

    @Test(arguments: [(1_000_000, false), (1_090_000, false), (1_110_000, true), (900_000, false)])
    func `a tenth of other traffic is reported`(device: UInt64, isReported: Bool) {
        let limits = Self.counters(device: device, own: 1_000_000).limits(since: Self.start)
        #expect(limits == (isReported ? [.crossTraffic] : []))
    }

    @Test func `other traffic is reported neither in a short window nor by a device made anew, nor by none`() {
        let short = Self.counters(device: 2_000_000, own: 1_000_000, after: .milliseconds(1900))
        #expect(short.limits(since: Self.start).isEmpty)
        var anew = Self.counters(device: 0, own: 1_000_000)
        anew.traffic?.device = DeviceCount.Way()
        #expect(anew.limits(since: Self.start).isEmpty)
        #expect(Self.counters(device: nil, own: 1_000_000).limits(since: Self.start).isEmpty)
    }

    /// What is left of a rate of a megabyte a second, known to 0.4 %.
    private static func judged(_ counters: HostCounters, _ direction: Direction = .download) -> DirectionReport {
        let rate = BitRate(bytesPerSecond: 1_000_000)
        var report = DirectionReport(rate: rate, bytes: 5_000_000, window: .seconds(5), uncertainty: 0.004)
        counters.judge(&report, direction, since: start)
        return report
    }

    @Test
    func `other traffic has a rate, which is none where the test itself carried all, and unknown without a device`() {
        #expect(Self.judged(Self.counters(device: 5_500_000, own: 5_000_000)).otherTraffic?.bytesPerSecond == 100_000)
        #expect(Self.judged(Self.counters(device: 4_900_000, own: 5_000_000)).otherTraffic?.bytesPerSecond == 0)
        #expect(Self.judged(Self.counters(device: nil, own: 5_000_000)).otherTraffic == nil)
        #expect(Self.judged(Self.counters(device: 9, own: 5, after: .milliseconds(1900))).otherTraffic == nil)
    }

    @Test func `counters that are old for the window show no other traffic`() {
        func counters(_ refresh: Duration) -> HostCounters {
            Self.counters(device: 9_000_000, own: 5_000_000, refresh: refresh)
        }
        #expect(Self.judged(counters(.milliseconds(250))).otherTraffic?.bytesPerSecond == 800_000)
        #expect(Self.judged(counters(.milliseconds(260))).otherTraffic == nil)
        #expect(counters(.milliseconds(260)).limits(since: Self.start).isEmpty)
    }

    @Test func `a download above what the device has received is marked, and its interval reaches down to that`() throws
    {
        // 3400 packets, of which the headers take 136 kB.
        let slow = Self.judged(Self.counters(device: 4_900_000 + 136_000, packets: 3400, own: 5_000_000))
        #expect(slow.exceedsDevice && !slow.isStable && slow.rate.bytesPerSecond == 1_000_000)
        #expect(try abs(#require(slow.uncertainty) - 0.02) < 1e-9)
        let fitting = Self.judged(Self.counters(device: 4_980_000 + 136_000, packets: 3400, own: 5_000_000))
        #expect(!fitting.exceedsDevice && fitting.isStable && fitting.uncertainty == 0.004)
    }

    @Test func `a device whose counters are old, a short window and an upload contradict no rate`() {
        func counters(refresh: Duration = .zero, after time: Duration = .seconds(5)) -> HostCounters {
            Self.counters(device: 100, own: 5_000_000, refresh: refresh, after: time)
        }
        #expect(Self.judged(counters(refresh: .milliseconds(250))).exceedsDevice)
        #expect(!Self.judged(counters(refresh: .milliseconds(260))).exceedsDevice)
        #expect(!Self.judged(counters(after: .milliseconds(1900))).exceedsDevice)
        #expect(!Self.judged(counters(), .upload).exceedsDevice)
        #expect(!Self.judged(Self.counters(device: nil, own: 1)).exceedsDevice)
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
