import FoundationEssentials
import Testing

@testable import Probing

struct ClockCheckTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 05 Nov 1994 09:49:37 GMT", "Mon, 07 Nov 1994 07:49:37 GMT",
    ])
    func `Clocks that differ by less than a day agree`(header: String) {
        #expect(!ClockCheck.isWrong(header: header, now: now))
    }

    @Test(arguments: [
        "Fri, 04 Nov 1994 08:49:37 GMT", "Tue, 08 Nov 1994 08:49:37 GMT", "Mon, 06 Dec 1993 08:49:37 GMT",
        "Sat, 21 Nov 2026 12:00:00 GMT",
    ])
    func `Clocks that differ by more than a day do not agree`(header: String) {
        #expect(ClockCheck.isWrong(header: header, now: now))
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 99 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        "a b c d e f",
    ])
    func `A text that is not a date is ignored`(header: String) {
        #expect(!ClockCheck.isWrong(header: header, now: now))
        #expect(!ClockCheck.isWrong(header: nil, now: now))
    }
}
