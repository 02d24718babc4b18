import Testing

@testable import MicroHTTP

struct ConnectionCountTests {
    @Test func `the limit of an address leaves room for others`() {
        var count = ConnectionCount(limit: 10, limitPerAddress: 2)
        #expect(count.add("192.0.2.1") == nil)
        #expect(count.add("192.0.2.1") == nil)
        #expect(count.add("192.0.2.1") == .address)
        #expect(count.add("192.0.2.2") == nil)
        count.remove("192.0.2.1")
        #expect(count.add("192.0.2.1") == nil)
        #expect(count.add("192.0.2.1") == .address)
    }

    @Test func `The total limit holds whatever the addresses`() {
        var count = ConnectionCount(limit: 3, limitPerAddress: 2)
        for address in ["2001:db8::1", "2001:db8::2", "2001:db8::3"] { #expect(count.add(address) == nil) }
        #expect(count.add("2001:db8::4") == .total)
        count.remove("2001:db8::2")
        #expect(count.add("2001:db8::4") == nil)
        #expect(count.add("2001:db8::2") == .total)
    }

    @Test func `A refused connection is not counted, and one without an address only in the total`() {
        var count = ConnectionCount(limit: 3, limitPerAddress: 1)
        #expect(count.add("192.0.2.1") == nil)
        for _ in 0..<5 { #expect(count.add("192.0.2.1") == .address) }
        #expect(count.add("") == nil)
        #expect(count.add("") == nil)
        #expect(count.add("") == .total)
        for address in ["192.0.2.1", "", ""] { count.remove(address) }
        #expect(count == ConnectionCount(limit: 3, limitPerAddress: 1))
    }
}
