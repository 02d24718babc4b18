import Coordination
import Testing

@Suite struct ObserverTests {
    @Test func `the thousandth call goes no deeper than the first`() throws {
        let places = Locked<[UInt]>([])
        let observer = Observer<Void>()
        observer(())
        observer.set { _ in
            var local = 0
            withUnsafeMutablePointer(to: &local) { place in places.withLock { $0.append(UInt(bitPattern: place)) } }
        }
        for _ in 1...1000 { observer(()) }
        let (first, last) = try places.withLock { (try #require($0.first), try #require($0.last)) }
        #expect(places.withLock { $0.count } == 1000)
        #expect(first - last == 0, "bytes of stack")
    }

    @Test func `the function that was set last is called, and may set another`() {
        let calls = Locked<[String]>([])
        let observer = Observer<Int>()
        observer.set { value in calls.withLock { $0.append("first \(value)") } }
        observer(1)
        observer.set { value in
            calls.withLock { $0.append("second \(value)") }
            observer.set { value in calls.withLock { $0.append("third \(value)") } }
        }
        observer(2)
        observer(3)
        #expect(calls.withLock { $0 } == ["first 1", "second 2", "third 3"])
    }
}
