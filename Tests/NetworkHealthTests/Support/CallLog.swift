import Coordination

/// Who was called, in order.
final class CallLog: Sendable {
    private let calls = Locked<[String]>([])
    private let count = Broadcast(0)

    func add(_ call: String) {
        let count = calls.withLock { calls in
            calls.append(call)
            return calls.count
        }
        self.count.send(count)
    }

    /// The calls so far, once there are as many.
    func first(_ number: Int) async -> [String] {
        for await count in count.values() where count >= number { break }
        return calls.withLock { $0 }
    }
}
