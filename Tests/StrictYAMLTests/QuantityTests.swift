import Lab
import StrictYAML
import Testing

@Suite struct QuantityTests {
    @Test(arguments: [
        ("50ms", Duration.milliseconds(50)), ("1s", .seconds(1)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)),
        ("6h", .seconds(21_600)), ("90d", .seconds(7_776_000)), ("1w", .seconds(604_800)), ("0", .zero), ("0s", .zero),
        ("1d12h", .seconds(129_600)), ("1w2d3h4m5s6ms", .milliseconds(788_645_006)), ("36500d", DurationText.longest),
    ]) func `reads a duration`(text: String, expected: Duration) {
        #expect(DurationText.parse(text) == expected)
    }

    @Test(arguments: [
        "", "fast", "5", "s", "1.5s", "-1s", "+1s", "1s1m", "1m1m", "1 s", " 1s", "1S", "1y", "1ns", "36501d",
        "9223372036854775807w", "99999999999999999999ms", "15250284452w15250284452d", "١s", "1s\u{301}", "1\u{0}s",
    ]) func `refuses what is no duration`(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.milliseconds(50), "50ms"), (.milliseconds(1500), "1s500ms"), (.seconds(5400), "1h30m"),
        (.seconds(129_600), "36h"), (.seconds(7_776_000), "90d"), (.seconds(604_800), "1w"),
        (.seconds(1_209_600), "2w"),
        (.microseconds(900), "0s"), (.milliseconds(-1500), "-1s500ms"), (.seconds(Int64.max), "9223372036854775807s"),
    ]) func `prints a duration`(duration: Duration, expected: String) {
        #expect(DurationText.format(duration) == expected)
    }

    @Test func `reads back every duration that it prints`() {
        var random = SplitMix64(state: 1)
        for _ in 0..<2000 {
            let shift = Int64.random(in: 0...41, using: &random)
            let duration = Duration.milliseconds(Int64.random(in: 0...(1 << shift), using: &random))
            #expect(DurationText.parse(DurationText.format(duration)) == duration)
        }
    }

    @Test(arguments: [
        ("64MB", 64_000_000), ("20GB", 20_000_000_000), ("64MiB", 67_108_864), ("1KiB", 1024), ("1kB", 1000),
        ("1.5GiB", 1_610_612_736), ("0.5MB", 500_000), ("0", 0), ("7B", 7), ("8TiB", 8_796_093_022_208),
        ("9223372036854775807B", Int.max), ("9223372036.854775GB", 9_223_372_036_854_775_000),
    ]) func `reads a size`(text: String, expected: Int) {
        #expect(ByteSizeText.parse(text) == expected)
    }

    @Test(arguments: [
        "", "64", "MB", "-1MB", "64mb", "64Mb", "64 MB", "1.5B", "1.MB", ".5MB", "1.2.3MB", "1.1234567MB", "1e3MB",
        "9223372036854775808B", "9223372036.9GB", "99999999999TB", "٣MB",
    ]) func `refuses what is no size`(text: String) {
        #expect(ByteSizeText.parse(text) == nil)
    }

    @Test(arguments: [
        (0, "0"), (1, "1B"), (1000, "1kB"), (1500, "1500B"), (64_000_000, "64MB"), (50_000_000_000, "50GB"),
        (2_000_000_000_000, "2TB"), (67_108_864, "67108864B"), (Int.max, "9223372036854775807B"),
    ]) func `prints a size, and reads it back`(bytes: Int, expected: String) {
        #expect(ByteSizeText.format(bytes) == expected)
        #expect(ByteSizeText.parse(expected) == bytes)
    }

    @Test(arguments: [("4Mbps", 4_000_000), ("2.5Gbps", 2_500_000_000), ("500kbps", 500_000), ("9bps", 9), ("0", 0)])
    func `reads a rate in bits per second`(text: String, expected: Int) {
        #expect(BitRateText.parse(text) == expected)
    }

    @Test(arguments: ["", "4", "4Mb", "4MBps", "4mbps", "-4Mbps", "4Mbit/s", "9999999999999Gbps"])
    func `refuses what is no rate`(text: String) {
        #expect(BitRateText.parse(text) == nil)
    }

    @Test(arguments: [("1%", 0.01), ("0.2", 0.2), ("0", 0), ("1", 1), ("100%", 1), ("0.5%", 0.005), ("0%", 0)])
    func `reads a ratio`(text: String, expected: Double) {
        #expect(RatioText.parse(text) == expected)
    }

    @Test(arguments: ["", "%", "1.1", "101%", "-1%", "-0.1", "nan", "nan%", "inf", "1%%", "1 %"])
    func `refuses what is no ratio`(text: String) {
        #expect(RatioText.parse(text) == nil)
    }
}
