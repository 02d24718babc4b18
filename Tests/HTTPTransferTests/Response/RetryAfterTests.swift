import FoundationEssentials
import HTTPTransfer
import Testing

@Suite struct RetryAfterTests {
    @Test(arguments: [
        ("120", Duration.seconds(120)), ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
        ("Sun, 06 Nov 1994 08:00:00 GMT", .zero), ("soon", nil), ("-1", nil), ("", nil),
        ("Sun, 06 Foo 1994 08:50:37 GMT", nil), ("99999999999", nil),
        ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)), ("Sun Nov  6 08:50:37 1994", .seconds(60)),
        ("Sun, 06 Nov 1994 08:50:60 GMT", nil), ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(Int64(UInt32.max))),
    ])
    func `Retry-After is seconds or a date`(text: String, delay: Duration?) {
        // 1994-11-06 08:49:37.
        let now = Date(timeIntervalSince1970: 784_111_777)
        #expect(RetryAfter.delay(text, from: now) == delay)
    }
}
