import Testing

@testable import Storage

@Suite struct CommitGatheringTests {
    private func gathering(_ writers: Int) -> CommitGathering {
        var gathering = CommitGathering()
        gathering.committed(writers, waiting: 0)
        return gathering
    }

    @Test(arguments: 0...3)
    func `a few writers never wait for each other`(_ writers: Int) {
        var gathering = gathering(writers)
        #expect(gathering.continues(with: 1, now: .zero) == false)
    }

    @Test func `a transaction of many begins with as many as the last, and as waited at its end`() {
        var gathering = gathering(64)
        #expect(gathering.continues(with: 63, now: .zero) == true)
        #expect(gathering.continues(with: 64, now: .zero) == false)
        #expect(gathering.continues(with: 0, now: .zero) == false)
        gathering.committed(64, waiting: 16)
        #expect(gathering.continues(with: 79, now: .zero) == true)
        #expect(gathering.continues(with: 80, now: .zero) == false)
        // Late ones may come back.
        gathering.committed(1, waiting: 0)
        #expect(gathering.continues(with: 59, now: .zero) == true)
        #expect(gathering.continues(with: 60, now: .zero) == false)
    }

    @Test func `it begins too where 4 ms brought no more, or after 20 ms`() {
        var gathering = gathering(64)
        #expect(gathering.continues(with: 1, now: .milliseconds(1)) == true)
        #expect(gathering.continues(with: 1, now: .microseconds(4999)) == true)
        #expect(gathering.continues(with: 1, now: .milliseconds(5)) == false)
        for count in 1...10 {
            #expect(gathering.continues(with: count, now: .milliseconds(4 + 2 * count)) == true)
        }
        #expect(gathering.continues(with: 11, now: .milliseconds(26)) == false)
    }

    @Test func `one writer that is left waits ten times at most`() {
        var gathering = gathering(64)
        var now = Duration.zero
        var waits = 0
        while gathering.continues(with: 1, now: now) {
            waits += 1
            while gathering.continues(with: 1, now: now) { now += .milliseconds(1) }
            gathering.committed(1, waiting: 0)
        }
        #expect(waits <= 10)
        #expect(now <= .milliseconds(40))
    }
}
