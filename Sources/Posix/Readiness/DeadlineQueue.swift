/// Numbers with a deadline each, the earliest first: a binary heap.
struct DeadlineQueue: Sendable {
    private struct Entry: Sendable {
        let deadline: ContinuousClock.Instant
        let number: UInt64
    }

    private var heap: [Entry] = []

    var earliest: ContinuousClock.Instant? { heap.first?.deadline }
    var count: Int { heap.count }

    mutating func insert(_ number: UInt64, deadline: ContinuousClock.Instant) {
        heap.append(Entry(deadline: deadline, number: number))
        var child = heap.count - 1
        while child > 0, heap[child].deadline < heap[(child - 1) / 2].deadline {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out the earliest, if its deadline has passed.
    mutating func popExpired(at now: ContinuousClock.Instant) -> UInt64? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        removeFirst()
        return first.number
    }

    /// Takes out the earliest as long as nobody wants them.
    mutating func dropFirst(while isUnwanted: (UInt64) -> Bool) {
        while let first = heap.first, isUnwanted(first.number) { removeFirst() }
    }

    /// Keeps only the numbers that `isWanted` names.
    mutating func retain(_ isWanted: (UInt64) -> Bool) {
        // A sorted array is a heap.
        heap = heap.filter { isWanted($0.number) }.sorted { $0.deadline < $1.deadline }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].deadline < heap[smallest].deadline { smallest = child }
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
