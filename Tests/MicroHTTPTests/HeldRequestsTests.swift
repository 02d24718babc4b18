import Testing

@testable import MicroHTTP

struct HeldRequestsTests {
    private var held = HeldRequests<Int>(limit: 6, limitPerNetwork: 3)

    @Test mutating func `one more of a client takes the place of the oldest one of the same client`() {
        #expect(held.add(0, from: "192.0.2.1") == nil)
        for id in 1...3 { #expect(held.add(id, from: "192.0.2.2") == nil) }
        #expect(held.add(4, from: "192.0.2.2") == 1)
        #expect(held.add(5, from: "192.0.2.2") == 2)
        #expect(held.add(6, from: "192.0.2.1") == nil)
    }

    @Test mutating func `one more in all takes the place of the oldest one of the client that has the most`() {
        #expect(held.add(0, from: "192.0.2.1") == nil)
        for id in 1...2 { #expect(held.add(id, from: "192.0.2.2") == nil) }
        for id in 3...5 { #expect(held.add(id, from: "2001:db8::") == nil) }
        #expect(held.add(6, from: "192.0.2.4") == 3)
        #expect(held.next(among: [0, 1, 2]) == 1)
        #expect(held.next(among: [0]) == 0)
        #expect(held.next(among: [3]) == nil)
    }

    @Test mutating func `one that has ended leaves its place, and a Unix socket has no limit of its own`() {
        for id in 1...6 { #expect(held.add(id, from: "") == nil) }
        held.remove(2)
        held.remove(2)
        #expect(held.add(7, from: "192.0.2.1") == nil)
        #expect(held.add(8, from: "192.0.2.1") == 1)
    }
}
