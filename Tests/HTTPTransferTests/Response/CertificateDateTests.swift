import FoundationEssentials
import Testing

@testable import HTTPTransfer

struct CertificateDateTests {
    private func parse(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        return CertificateDate.parse(bytes.span.bytes)
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
}
