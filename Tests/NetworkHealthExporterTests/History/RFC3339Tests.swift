import Foundation
import Testing

@testable import NetworkHealthExporter

@Suite("History: RFC 3339") struct RFC3339Tests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_700_000_000.123, "2023-11-14T22:13:20.123Z"),
            (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"), (-12_212_553_600, "1583-01-01T00:00:00.000Z"),
            (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
        ] as [(Double, String)]
    )
    func `a time is written, and what was written reads as the same number`(seconds: Double, text: String) {
        #expect(RFC3339.text(seconds, milliseconds: true) == text)
        #expect(RFC3339.parse(text) == seconds)
    }

    @Test func `any day of two centuries is the one that Foundation writes`() {
        for day in stride(from: -36_525, to: 36_525, by: 1) {
            let seconds = Double(day) * 86_400 + 45_296
            #expect(RFC3339.text(seconds) == Date(timeIntervalSince1970: seconds).formatted(.iso8601))
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e300, 1e18])
    func `a number that is no time is written as some time`(seconds: Double) {
        #expect(RFC3339.text(seconds, milliseconds: true).count == 24)
    }

    @Test(
        arguments: [
            ("2023-11-14T22:13:20Z", 1_700_000_000), ("2023-11-14t22:13:20z", 1_700_000_000),
            ("2023-11-14 22:13:20Z", 1_700_000_000), ("2023-11-14T23:43:20+01:30", 1_700_000_000),
            // A query decodes `+` to a space.
            ("2023-11-14T23:43:20 01:30", 1_700_000_000), ("2023-11-14T20:13:20-02:00", 1_700_000_000),
            ("2023-11-14T22:13:20+00:00", 1_700_000_000), ("2023-11-14T22:13:20-00:00", 1_700_000_000),
            ("2023-11-15T12:13:20+14:00", 1_700_000_000), ("2023-11-14T10:13:20-12:00", 1_700_000_000),
            ("2023-11-14T22:13:20.5Z", 1_700_000_000.5), ("2023-11-14T22:13:20.000000001234Z", 1_700_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ] as [(String, Double)]
    )
    func `offsets, fractions and leap seconds are read`(text: String, seconds: Double) {
        #expect(RFC3339.parse(text) == seconds)
    }

    @Test(arguments: [
        "", "Z", "2023", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14T22:13Z", "2023-11-14T22:13:20.Z",
        "2023-02-29T00:00:00Z", "2023-00-01T00:00:00Z", "2023-13-01T00:00:00Z", "2023-11-00T00:00:00Z",
        "2023-11-31T00:00:00Z", "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z", "2023-11-14T22:13:61Z",
        "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:20+01:60", "2023-11-14T22:13:20Z ", " 2023-11-14T22:13:20Z",
        "-023-11-14T22:13:20Z", "2023-1-014T22:13:20Z", "２023-11-14T22:13:20Z", "2023-11-14T22:13:20+0100",
        "2023-11-14T22:13:20+01:30:00", "2023-11-14T22:13:20Zz", "+023-11-14T22:13:20Z", "2023-11-14T22:13:20é",
    ])
    func `anything else is refused`(text: String) {
        #expect(RFC3339.parse(text) == nil)
    }

    @Test func `no text traps`() {
        let pieces = [
            "2023", "-", "11", "T", ":", "99", ".", "Z", "+", "0", "\u{0}", "é", "99999999999999999999",
            "2023-11-14T22:13:20",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...14, using: &random)
            _ = RFC3339.parse((0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined())
        }
    }
}
