import Coordination
import Testing

@Suite(.timeLimit(.minutes(3)))
struct GateTests {
    @Test func `all who wait go on with the value, and not before it is given`() async {
        let gate = Gate<Int>()
        let isGiven = Locked(false)
        await withTaskGroup(of: (value: Int, wasGiven: Bool).self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let value = await gate.wait()
                    return (value, isGiven.withLock { $0 })
                }
            }
            for _ in 0..<100 { await Task.yield() }
            isGiven.withLock { $0 = true }
            gate.open(with: 7)
            var count = 0
            for await found in group {
                #expect(found.value == 7 && found.wasGiven)
                count += 1
            }
            #expect(count == 20)
        }
    }

    @Test func `only the first value counts, also for those who come later`() async {
        let gate = Gate<Int>()
        gate.open(with: 1)
        gate.open(with: 2)
        #expect(await gate.wait() == 1)
        #expect(await gate.wait() == 1)
    }

    @Test func `a cancelled task waits too`() async {
        let gate = Gate<Int>()
        let task = Task { await gate.wait() }
        task.cancel()
        for _ in 0..<100 { await Task.yield() }
        gate.open(with: 3)
        #expect(await task.value == 3)
    }
}
