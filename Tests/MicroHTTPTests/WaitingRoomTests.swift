import Testing

@testable import MicroHTTP

struct WaitingRoomTests {
    private let start = ContinuousClock.now
    private var room = WaitingRoom<Void>(limit: 4)

    private mutating func add(_ number: Int32, from network: String = "192.0.2.1", after time: Duration = .zero)
        -> Int32?
    {
        room.add(.init(number: number, network: network, since: start + time, connection: ()))?.number
    }

    @Test mutating func `clients take turns, and one that has sent something goes before one that is silent`() {
        for number: Int32 in 1...3 { #expect(add(number) == nil) }
        #expect(add(4, from: "192.0.2.2") == nil)
        #expect(room.silent == [1, 2, 3, 4] && !room.hasReady)
        for number: Int32 in 2...4 { room.noteReady(number) }
        #expect(room.silent == [1] && room.hasReady)
        let order = [room.next(isReady: true), room.next(isReady: true), room.next(isReady: true)].map { $0?.number }
        #expect(order == [2, 4, 3])
        #expect(room.next(isReady: true) == nil && !room.hasReady)
        #expect(room.next(isReady: false)?.number == 1)
        #expect(room.isEmpty)
    }

    @Test mutating func `one that is not admitted keeps its place`() {
        _ = add(1)
        _ = add(2)
        #expect(room.next(isReady: false) { $0.number == 2 }?.number == 2)
        #expect(room.next(isReady: false) { _ in false } == nil)
        #expect(!room.isEmpty)
    }

    @Test mutating func `a full room gives up a silent one of the client that has the most, else its oldest one`() {
        #expect(add(1, from: "192.0.2.2") == nil)
        for number: Int32 in 2...4 { #expect(add(number) == nil) }
        room.noteReady(2)
        #expect(add(5) == 3)
        for number: Int32 in [1, 4, 5] { room.noteReady(number) }
        #expect(add(6, from: "192.0.2.3") == 6)
        #expect(add(7, from: "192.0.2.1") == 7)
        #expect(room.silent.isEmpty)
    }

    @Test
    mutating func `a full room of those that have sent something gives up the oldest of the client that has the most`()
    {
        #expect(add(1, from: "192.0.2.2") == nil)
        for number: Int32 in 2...4 { #expect(add(number) == nil) }
        for number: Int32 in 1...4 { room.noteReady(number) }
        room.noteReady(5)
        #expect(add(5) == 2)
    }

    @Test mutating func `those that came too long ago are removed, and a number that comes again is silent`() {
        _ = add(1)
        _ = add(2, after: .seconds(2))
        room.noteReady(1)
        #expect(room.removeAll(since: start + .seconds(1)).map(\.number) == [1])
        #expect(!room.hasReady)
        #expect(room.remove(2)?.number == 2)
        #expect(room.remove(2) == nil && room.isEmpty)
        _ = add(1)
        #expect(room.silent == [1])
    }
}

extension WaitingRoom {
    fileprivate mutating func next(isReady: Bool) -> Arrival? { next(isReady: isReady) { _ in true } }
}
