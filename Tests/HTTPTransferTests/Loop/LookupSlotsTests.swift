import Testing

@testable import HTTPTransfer

/// Who may have libcurl look a name up, with the times handed in.
struct LookupSlotsTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Those who get a turn now.
    private func granted(_ slots: inout LookupSlots<Int>, at second: Int) -> [Int] {
        var ids: [Int] = []
        while let id = slots.next(at: at(second)) { ids.append(id) }
        return ids
    }

    @Test func `No more than allowed look up at once, in the order of asking`() {
        var slots = LookupSlots<Int>(max: 2)
        for id in 1...4 { slots.ask(id, at: at(0)) }

        #expect(granted(&slots, at: 0) == [1, 2])
        #expect(slots.obstacle(to: 3) != nil && slots.obstacle(to: 1) == nil)
        #expect(slots.nextTurn(at: at(0)) == nil)

        slots.end(2, isLookingUp: false, at: at(1))

        #expect(slots.nextTurn(at: at(1)) == at(1))
        #expect(granted(&slots, at: 1) == [3])
    }

    @Test func `A lookup that was given up keeps its place until it must have ended`() {
        var slots = LookupSlots<Int>(max: 1)
        slots.ask(1, at: at(0))
        slots.ask(2, at: at(0))
        #expect(granted(&slots, at: 0) == [1])

        slots.end(1, isLookingUp: true, at: at(5))

        #expect(slots.nextTurn(at: at(5)) == at(30))
        #expect(granted(&slots, at: 29).isEmpty)
        #expect(granted(&slots, at: 30) == [2])
    }

    @Test func `One who gives up waiting is not asked for`() {
        var slots = LookupSlots<Int>(max: 1)
        for id in 1...3 { slots.ask(id, at: at(0)) }
        #expect(granted(&slots, at: 0) == [1])

        slots.end(2, isLookingUp: true, at: at(1))
        slots.end(1, isLookingUp: false, at: at(1))
        // It has ended before.
        slots.end(1, isLookingUp: true, at: at(1))

        #expect(granted(&slots, at: 1) == [3])
    }

    @Test func `While no lookup is answered, the silence of the servers keeps the others waiting`() {
        var slots = LookupSlots<Int>(max: 2)
        for id in 1...3 { slots.ask(id, at: at(0)) }
        #expect(granted(&slots, at: 0) == [1, 2])
        #expect(slots.obstacle(to: 3) == .silence)

        // One is given up, the other finds no address.
        slots.end(1, isLookingUp: true, at: at(5))
        slots.ask(4, at: at(5))
        slots.end(2, isLookingUp: false, at: at(10))
        #expect(slots.obstacle(to: 3) == .silence)
        #expect(granted(&slots, at: 10) == [3])
        #expect(slots.obstacle(to: 3) == nil)

        // Which has an address without a lookup.
        slots.end(3, isLookingUp: false, at: at(11))
        #expect(slots.obstacle(to: 4) == .silence)
    }

    @Test func `A lookup that is answered shows that the bound keeps those waiting who asked before it`() {
        var slots = LookupSlots<Int>(max: 1)
        for id in 1...3 { slots.ask(id, at: at(0)) }
        #expect(granted(&slots, at: 0) == [1])

        slots.answered(1, at: at(1))
        #expect(granted(&slots, at: 1) == [2])
        slots.ask(4, at: at(2))

        #expect(slots.obstacle(to: 3) == .bound)
        #expect(slots.obstacle(to: 4) == .silence)

        // It had no turn, and so no lookup.
        slots.answered(3, at: at(3))
        #expect(slots.obstacle(to: 4) == .silence)
    }
}
