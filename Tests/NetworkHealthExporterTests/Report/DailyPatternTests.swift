import Foundation
import Lab
import Testing

@testable import NetworkHealthExporter

/// The rule on both sides of each threshold.
@Suite struct DailyPatternTests {
    /// A midnight.
    private static let start = 20_000 * 86_400.0

    /// So many days of half hours: a mean of 5 ms, and what `change` adds by the hour of the day and the index.
    private static func points(_ days: Int, _ change: (Double, Int) -> Double) -> [(at: Double, value: Double)] {
        (0..<days * 48).map { index in
            (start + Double(index) * 1800, 0.005 + change(Double(index % 48) / 2, index))
        }
    }

    /// A wave of so many seconds from its lowest to its highest value, which is at 21 h.
    private static func wave(_ height: Double, days: Int = 8) -> [(at: Double, value: Double)] {
        points(days) { hour, _ in height / 2 * cos((hour - 21) / 24 * 2 * .pi) }
    }

    private static let thresholds: [(Double, DailyPattern.Severity)] = [
        (0.00049, .none), (0.00051, .low), (0.00099, .low), (0.00101, .mild), (0.00299, .mild), (0.00301, .severe),
    ]

    @Test(arguments: thresholds)
    func `the amplitude decides how severe it is`(height: Double, severity: DailyPattern.Severity) throws {
        let pattern = try #require(DailyPattern(Self.wave(height)))
        #expect(abs(pattern.amplitude - height) < 1e-9 && pattern.severity == severity)
        #expect(abs(pattern.peak - 21 * 3600) < 1 && pattern.measurements == 384)
    }

    @Test func `an evening from 20 to 23 h has the amplitude of its first harmonic`() throws {
        let hump = Self.points(12) { hour, _ in (20..<23).contains(hour) ? 0.006 : 0 }
        let pattern = try #require(DailyPattern(hump))
        #expect(abs(pattern.amplitude - 4 / .pi * 0.006 * sin(.pi / 8)) < 1e-5 && pattern.severity == .mild)
        #expect((20...22).contains(pattern.peak / 3600))
    }

    @Test func `what does not repeat each day is no pattern, however high it is`() throws {
        var random = SplitMix64(state: 8)
        let noise = try #require(DailyPattern(Self.points(20) { _, _ in .random(in: 0...0.01, using: &random) }))
        #expect(noise.amplitude > 0.0005 && !noise.isDaily && noise.severity == nil)
        // Twice a day, and each second day.
        for days in [0.5, 2] {
            let other = Self.points(16) { _, index in 0.004 * sin(Double(index) / (48 * days) * 2 * .pi) }
            #expect(DailyPattern(other)?.severity == DailyPattern.Severity.none)
        }
        let flat = try #require(DailyPattern(Self.points(8) { _, _ in 0 }))
        #expect(flat.amplitude < 1e-30 && flat.severity == DailyPattern.Severity.none)
    }

    @Test func `a step in four days hides no amplitude of the day, and says that it does not stand out`() throws {
        let stepped = Self.points(8) { hour, index in
            0.002 / 2 * cos((hour - 21) / 24 * 2 * .pi) + (index % 192 < 96 ? 0 : 0.02)
        }
        let pattern = try #require(DailyPattern(stepped))
        #expect(pattern.amplitude > 0.0019 && !pattern.isDaily && pattern.severity == nil)
        let small = try #require(DailyPattern(Self.points(16) { hour, index in index % 192 < 96 ? 0 : 0.0001 }))
        #expect(!small.isDaily && small.severity == DailyPattern.Severity.none)
    }

    @Test(arguments: [(8, 0, true), (7, 0, false), (8, 48, true), (8, 49, false)])
    func `twice four days are needed, and three quarters of each`(days: Int, missing: Int, isKnown: Bool) {
        let points = Self.wave(0.004, days: days).enumerated().filter { !(100..<100 + missing).contains($0.offset) }
        #expect((DailyPattern(points.map(\.element)) != nil) == isKnown)
    }

    @Test func `times and values that are none are left out`() {
        let odd = [(at: Double.nan, value: 1.0), (1e300, 1), (Self.start, .infinity)]
        #expect(DailyPattern(odd) == nil && DailyPattern([]) == nil)
        #expect(DailyPattern(odd + Self.wave(0.002))?.severity == .mild)
    }
}
