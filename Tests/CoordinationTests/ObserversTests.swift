import Coordination
import Testing

@Suite struct ObserversTests {
    @Test func `the thousandth call goes no deeper than the first`() throws {
        let places = Locked<[UInt]>([])
        let observers = Observers<Void>()
        observers(())
        observers.add { _ in
            var local = 0
            withUnsafeMutablePointer(to: &local) { place in places.withLock { $0.append(UInt(bitPattern: place)) } }
        }
        for _ in 1...1000 { observers(()) }
        let (first, last) = try places.withLock { (try #require($0.first), try #require($0.last)) }
        #expect(places.withLock { $0.count } == 1000)
        #expect(first - last == 0, "bytes of stack")
    }

    @Test func `all are called in their order, and one may add another, which is called from the next change on`() {
        let calls = Locked<[String]>([])
        let observers = Observers<Int>()
        observers.add { value in calls.withLock { $0.append("first \(value)") } }
        observers.add { value in
            calls.withLock { $0.append("second \(value)") }
            if value == 1 { observers.add { value in calls.withLock { $0.append("third \(value)") } } }
        }
        observers(1)
        observers(2)
        #expect(calls.withLock { $0 } == ["first 1", "second 1", "first 2", "second 2", "third 2"])
    }
}
