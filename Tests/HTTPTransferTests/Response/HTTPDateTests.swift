import FoundationEssentials
import HTTPTransfer
import Testing

struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994",
    ])
    func `each form of a date is read`(_ text: String) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: [("69", -31_536_000), ("68", 3_092_601_600), ("00", 946_684_800), ("99", 915_148_800)])
    func `A year of two digits is one from 1969 to 2068`(year: String, seconds: Double) {
        #expect(HTTPDate.parse("Monday, 01-Jan-\(year) 00:00:00 GMT")?.timeIntervalSince1970 == seconds)
    }

    @Test func `the last second of the year 9999 and a 29 February are read`() {
        #expect(
            HTTPDate.parse("Fri, 31 Dec 9999 23:59:59 GMT") == Date(timeIntervalSince1970: 253_402_300_799)
        )
        #expect(HTTPDate.parse("Thu, 29 Feb 2024 00:00:00 GMT") != nil)
    }

    @Test(arguments: [
        "", "now", "0", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Thu, 29 Feb 2023 00:00:00 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sunday, 06-Nov--4 08:49:37 GMT",
        "Sunday, 06-Nov 08:49:37 GMT",
        "Sun Nov  6 08:49:37 199", "Son, 06 Nov 1994 08:49:37 GMT", "-1 -1 -1 -1 -1 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT",
        "a b c d e f", "Sun Sun Sun Sun Sun",
    ])
    func `any other text is none`(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
