import Foundation
import Testing

@testable import NetworkHealthExporter

struct JSONNumberTests {
    @Test(arguments: [
        (0.1 + 0.2, 6, "0.3"), (0.021234567891, 6, "0.021235"), (31.234567, 3, "31.235"), (1.0 / 3, 4, "0.3333"),
        (0, 6, "0"), (5e-7, 6, "1e-06"), (4e-7, 6, "0"), (-1.0005, 3, "-1.001"), (1e300, 6, "1e+300"),
        (123_456_789.123_456_7, 6, "123456789.123457"),
    ])
    func `a rounded number is printed with no more digits`(number: Double, places: Int, expected: String) {
        let json = JSONDocument.encode([number.rounded(toPlaces: places)])
        #expect(String(decoding: json, as: UTF8.self) == "[\(expected)]")
    }

    @Test(arguments: [Double.infinity, -.infinity, .greatestFiniteMagnitude])
    func `what has no decimals stays`(number: Double) {
        #expect(number.rounded(toPlaces: 6) == number)
    }

    @Test func `what is no number stays none`() { #expect(Double.nan.rounded(toPlaces: 6).isNaN) }
}
