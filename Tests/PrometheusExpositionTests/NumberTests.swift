import Foundation
import PrometheusExposition
import Testing

@Suite struct NumberTests {
    static func line(_ value: some MetricValueConvertible) -> String {
        let lines = printed([.gauge("x", help: "X.", value: value)]).split(separator: "\n")
        return String(lines.last?.dropFirst("x ".count) ?? "")
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "-0"), (1, "1"), (-3, "-3"), (0.1, "0.1"), (1e15, "1000000000000000"),
        (9_007_199_254_740_992, "9007199254740992"), (9_007_199_254_740_994, "9.007199254740994e+15"),
        (1e16, "1e+16"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"), (-1.5e-7, "-1.5e-07"),
        (1_763_712_000.123, "1763712000.123"), (-.greatestFiniteMagnitude, "-1.7976931348623157e+308"),
        (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (-.nan, "NaN"), (.signalingNaN, "NaN"),
    ]) func `prints a double in the shortest form`(value: Double, expected: String) {
        #expect(Self.line(value) == expected)
    }

    @Test func `prints doubles that parse back to the same bits`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let parsed = strtod(Self.line(value), nil)
            #expect(parsed.bitPattern == value.bitPattern)
        }
    }

    @Test func `keeps every digit of a 64-bit counter`() {
        #expect(Self.line(UInt64(9_007_199_254_740_993)) == "9007199254740993")
        #expect(Self.line(UInt64.max) == "18446744073709551615")
        #expect(Self.line(UInt64(0)) == "0")
        #expect(Self.line(Int64.min) == "-9223372036854775808")
        #expect(Self.line(Int.max) == "9223372036854775807")
        #expect(Self.line(UInt32(10)) == "10")
    }

    @Test(arguments: [
        (Duration.milliseconds(50), "0.05"), (.seconds(90), "90"), (.microseconds(1), "1e-06"), (.zero, "0"),
    ]) func `prints a duration in seconds`(value: Duration, expected: String) {
        #expect(Self.line(value) == expected)
    }

    @Test func `prints a truth value as 0 or 1`() {
        #expect(Self.line(true) == "1")
        #expect(Self.line(false) == "0")
    }
}
