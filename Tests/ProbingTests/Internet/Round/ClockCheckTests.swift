import FoundationEssentials
import HTTPTransfer
import Testing

@testable import Probing

struct ClockCheckTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    /// In seconds, of an exchange that took two seconds and ended now.
    private func skew(_ date: String?, age: String? = nil) -> Double? {
        var response = TransferResponse(status: 204)
        response.headers = [("date", date), ("age", age)].compactMap { name, value in value.map { (name, $0) } }
        return ClockCheck.skew(of: response, between: now - 2, and: now).map { $0 / .seconds(1) }
    }

    @Test(arguments: [34, 35, 36, 37])
    func `A difference that the time of the exchange explains is none`(second: Int) {
        #expect(skew("Sun, 06 Nov 1994 08:49:\(second) GMT") == 0)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:33 GMT", 2.5), ("Sun, 06 Nov 1994 08:49:38 GMT", -2.5),
        ("Sat, 05 Nov 1994 08:49:37 GMT", 86_398.5), ("Mon, 07 Nov 1994 08:49:37 GMT", -86_401.5),
    ])
    func `Else it is this clock, in the middle of the exchange, minus the server's`(header: String, skew: Double) {
        #expect(self.skew(header) == skew)
    }

    @Test func `An answer from a cache is as much older as its age`() {
        #expect(skew("Sun, 06 Nov 1994 07:49:36 GMT", age: "3600") == 0)
        #expect(skew("Sun, 06 Nov 1994 07:49:33 GMT", age: "3600") == 0)
        #expect(skew("Sun, 06 Nov 1994 07:49:30 GMT", age: "3600") == 5)
        #expect(skew("Sun, 06 Nov 1994 08:49:36 GMT", age: "old") == 0)
    }

    @Test(arguments: [
        nil, "", "yesterday", "Sun, 99 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        "a b c d e f",
    ])
    func `A text that is not a date is ignored`(header: String?) {
        #expect(skew(header) == nil)
    }
}
