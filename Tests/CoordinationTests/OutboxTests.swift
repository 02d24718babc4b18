import Coordination
import Testing

@Suite struct OutboxTests {
    @Test func `calls are made in order, and one that comes during the delivery is left to it`() {
        let made = Locked<[Int]>([])
        let outbox = Locked(Outbox())
        @Sendable func send(_ number: Int) -> Bool {
            outbox.withLock { outbox in
                outbox.append {
                    made.withLock { $0.append(number) }
                    if number == 1 { #expect(!send(3)) }
                }
                return outbox.begin()
            }
        }
        #expect(send(1) && !send(2))
        while let call = outbox.withLock({ $0.next() }) { call() }
        #expect(made.withLock { $0 } == [1, 2, 3])
        #expect(send(4))
    }
}
