import Foundation
import Testing

@testable import NetworkHealth

struct PendingEventsTests {
    private let id = UUID()

    private func changes(_ pending: PendingEvents) -> [Bool] {
        pending.events.compactMap { if case .connected(let isConnected) = $0 { isConnected } else { nil } }
    }

    @Test func `are taken in their order`() {
        var pending = PendingEvents()
        let events: [CallbackRounds.Event] = [.connected(true), .registered(id), .connected(false), .removed(UUID())]
        for event in events { pending.append(event) }
        #expect(events.map { _ in pending.next() } == events && pending.next() == nil)
    }

    @Test func `an unchanged connection is no event`() {
        var pending = PendingEvents()
        for isConnected in [false, true, true, false, false] { pending.append(.connected(isConnected)) }
        #expect(changes(pending) == [true, false])
        _ = (pending.next(), pending.next())
        pending.append(.connected(false))
        #expect(pending.events.isEmpty)
    }

    @Test(arguments: 1...300) func `of many changes the last state stays, and a loss with its return`(count: Int) {
        var pending = PendingEvents()
        for number in 1...count { pending.append(.connected(!number.isMultiple(of: 2))) }
        let changes = changes(pending)
        #expect(changes.count <= PendingEvents.maxChanges)
        #expect(changes.last == !count.isMultiple(of: 2))
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $0 != $1 } && changes.first == true)
        if count > 2 { #expect(changes.contains(false)) }
    }

    @Test func `a registration that was removed meanwhile leaves nothing`() {
        var pending = PendingEvents()
        for _ in 0..<1000 {
            let id = UUID()
            pending.append(.registered(id))
            pending.append(.removed(id))
        }
        #expect(pending.events.isEmpty)
        pending.append(.removed(id))
        #expect(pending.events == [.removed(id)], "its registration was taken")
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `the calls that follow are those of every change, but for whole pairs`(
        seed: UInt64
    ) {
        // A deterministic sequence: xorshift64.
        var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var pending = PendingEvents()
        var rounds = CallbackRounds()
        var (isConnected, reported) = (false, false)
        _ = rounds.apply(.registered(id))
        for _ in 0..<2000 {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            if random.isMultiple(of: 2) || seed.isMultiple(of: 2) {
                isConnected.toggle()
                pending.append(.connected(isConnected))
            } else if let event = pending.next(), let round = rounds.apply(event) {
                #expect(round.isConnected != reported, "calls alternate")
                reported = round.isConnected
            }
        }
        while let event = pending.next() { if let round = rounds.apply(event) { reported = round.isConnected } }
        #expect(reported == isConnected)
    }
}
