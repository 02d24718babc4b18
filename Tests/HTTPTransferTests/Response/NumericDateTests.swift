import FoundationEssentials
import Glibc
import Lab
import Testing

@testable import HTTPTransfer

struct NumericDateTests {
    private func parse(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        return NumericDate.parse(bytes.span.bytes)
    }

    @Test(arguments: [
        ("1970-01-01 00:00:00 GMT", 0), ("1969-12-31 23:59:59 GMT", -1), ("2000-02-29 12:34:56 GMT", 951_827_696),
        ("2026-11-21 12:00:00 GMT", 1_795_262_400), ("2100-03-01 00:00:00 GMT", 4_107_542_400),
        ("9999-12-31 23:59:59 GMT", 253_402_300_799), ("0000-01-01 00:00:00 GMT", -62_167_219_200),
        ("1950-01-01 00:00:00 GMT", -631_152_000),
    ])
    func `a date is read`(_ text: String, _ seconds: Int) {
        #expect(parse(text) == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test(arguments: [
        "", "2026-11-21 12:00:00", "2026-11-21 12:00:00 UTC", "2026-11-21 12:00:00.5 GMT", "2026-11-21T12:00:00 GMT",
        "2026-13-21 12:00:00 GMT", "2026-00-21 12:00:00 GMT", "2026-11-31 12:00:00 GMT", "2026-11-00 12:00:00 GMT",
        "2026-02-29 12:00:00 GMT", "2100-02-29 12:00:00 GMT", "2026-11-21 24:00:00 GMT", "2026-11-21 12:60:00 GMT",
        "2026-11-21 12:00:60 GMT", "+026-11-21 12:00:00 GMT", "2026-11-21 12:00:00 GMT ", "2026-11-2  12:00:00 GMT",
    ])
    func `what is no date is not read`(_ text: String) {
        #expect(parse(text) == nil)
    }

    @Test func `each second from the year 0 to 9999 is read as the C library writes it`() {
        var random = SplitMix64(state: 1)
        for _ in 0..<50_000 {
            let seconds = Int.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let text = Array(Self.text(seconds).utf8)
            #expect(NumericDate.parse(text.span.bytes)?.timeIntervalSince1970 == Double(seconds))
        }
    }

    private static func text(_ seconds: Int) -> String {
        var (time, parts) = (seconds, tm())
        gmtime_r(&time, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = [digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1, 2), digits(parts.tm_mday, 2)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits($0, 2) }
        return "\(date.joined(separator: "-")) \(clock.joined(separator: ":")) GMT"
    }
}
