import FoundationEssentials
import Testing

@testable import Probing

struct ClockCheckTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 05 Nov 1994 09:49:37 GMT", "Mon, 07 Nov 1994 07:49:37 GMT",
    ])
    func `within a day the clocks agree`(header: String) {
        #expect(!ClockCheck.isWrong(header: header, now: now))
    }

    @Test(arguments: [
        "Fri, 04 Nov 1994 08:49:37 GMT", "Tue, 08 Nov 1994 08:49:37 GMT", "Mon, 06 Dec 1993 08:49:37 GMT",
        "Sat, 21 Nov 2026 12:00:00 GMT",
    ])
    func `a day and more apart one of them is wrong`(header: String) {
        #expect(ClockCheck.isWrong(header: header, now: now))
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 99 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        "a b c d e f",
    ])
    func `what is no date accuses nobody`(header: String) {
        #expect(!ClockCheck.isWrong(header: header, now: now))
        #expect(!ClockCheck.isWrong(header: nil, now: now))
    }
}
