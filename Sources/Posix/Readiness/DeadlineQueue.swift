import HeapModule

/// Numbers with a deadline each, the earliest first.
struct DeadlineQueue: Sendable {
    private struct Entry: Sendable, Comparable {
        let deadline: ContinuousClock.Instant
        let number: UInt64

        static func < (first: Self, second: Self) -> Bool {
            (first.deadline, first.number) < (second.deadline, second.number)
        }
    }

    private var heap = Heap<Entry>()

    var earliest: ContinuousClock.Instant? { heap.min?.deadline }
    var count: Int { heap.count }

    mutating func insert(_ number: UInt64, deadline: ContinuousClock.Instant) {
        heap.insert(Entry(deadline: deadline, number: number))
    }

    /// Removes the earliest, if its deadline has passed.
    mutating func popExpired(at now: ContinuousClock.Instant) -> UInt64? {
        guard let first = heap.min, first.deadline <= now else { return nil }
        heap.removeMin()
        return first.number
    }

    /// Removes the earliest for as long as `isUnwanted` holds for it.
    mutating func dropFirst(while isUnwanted: (UInt64) -> Bool) {
        while let first = heap.min, isUnwanted(first.number) { heap.removeMin() }
    }

    /// Keeps only the numbers for which `isWanted` holds.
    mutating func retain(_ isWanted: (UInt64) -> Bool) {
        heap = Heap(heap.unordered.filter { isWanted($0.number) })
    }
}
