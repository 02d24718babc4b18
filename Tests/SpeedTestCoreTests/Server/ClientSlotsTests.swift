import Testing

@testable import SpeedTestCore

struct ClientSlotsTests {
    @Test func `counts clients, and the transfers of each`() {
        var slots = ClientSlots()
        func enter(_ client: String) -> Bool { slots.enter(client, clientLimit: 2, transferLimit: 3) }
        #expect(enter("a") && enter("a") && enter("a"))
        #expect(!enter("a"), "a fourth of one client")
        #expect(enter("b"))
        #expect(!enter("c"), "a third client")
        #expect(enter("b"), "another of one that is in")
        #expect(slots.total == 5)
        slots.leave("b")
        #expect(!enter("c"))
        slots.leave("b")
        #expect(enter("c"))
        slots.leave("nobody")
        #expect(slots.total == 4)
    }
}
