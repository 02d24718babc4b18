import Coordination
import Testing

@Suite(.timeLimit(.minutes(3)))
struct BroadcastTests {
    @Test func `a reader gets the current value first, then every later one`() async {
        let broadcast = Broadcast<Int>()
        broadcast.send(1)
        broadcast.send(2)
        let values = broadcast.values()
        broadcast.send(3)
        broadcast.finish()
        #expect(await collect(values) == [2, 3])
        #expect(broadcast.current == 3)
    }

    @Test func `without a current value a reader begins with the first sent`() async {
        let broadcast = Broadcast<Int>()
        #expect(broadcast.current == nil)
        let values = broadcast.values()
        broadcast.send(1)
        broadcast.finish()
        #expect(await collect(values) == [1])
    }

    @Test func `a slow reader keeps the newest 64 and does not delay the others`() async {
        let broadcast = Broadcast(0)
        let slow = broadcast.values()
        for number in 1...1000 { broadcast.send(number) }
        let late = broadcast.values()
        broadcast.finish()
        #expect(await collect(slow) == Array(937...1000))
        #expect(await collect(late) == [1000])
    }

    @Test func `a reader of events gets each one, and the newest 4096 where it has stopped`() async {
        let events = Broadcast(ofEvents: Int.self)
        events.send(0)
        let values = events.values()
        for number in 1...5000 { events.send(number) }
        events.finish()
        #expect(await collect(values) == Array(905...5000))
    }

    @Test func `ends when the reader's task is cancelled, and forgets the reader`() async {
        let broadcast = Broadcast(0)
        let (isReading, reading) = AsyncStream<Void>.makeStream()
        let reader = Task {
            for await _ in broadcast.values() { reading.yield() }
        }
        for await _ in isReading { break }
        #expect(broadcast.readerCount == 1)
        reader.cancel()
        await reader.value
        #expect(broadcast.readerCount == 0)
    }

    @Test func `forgets a reader that stops reading`() async {
        let broadcast = Broadcast(0)
        for await _ in broadcast.values() { break }
        #expect(broadcast.readerCount == 0)
    }

    @Test func `after the end a reader still gets the last value`() async {
        let broadcast = Broadcast(7)
        broadcast.finish()
        #expect(await collect(broadcast.values()) == [7])
        #expect(broadcast.readerCount == 0)
    }

    @Test func `readers that come while values are sent miss none`() async {
        let broadcast = Broadcast(0)
        await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask { await collect(broadcast.values()) }
            }
            group.addTask {
                for number in 1...50 { broadcast.send(number) }
                broadcast.finish()
                return []
            }
            for await values in group where !values.isEmpty {
                #expect(values.last == 50)
                #expect(
                    zip(values, values.dropFirst()).allSatisfy { $1 == $0 + 1 },
                    "a value is missing or out of order"
                )
            }
        }
    }
}

private func collect(_ values: AsyncStream<Int>) async -> [Int] {
    var collected: [Int] = []
    for await value in values { collected.append(value) }
    return collected
}
