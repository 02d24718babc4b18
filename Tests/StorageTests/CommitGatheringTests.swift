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

    @Test func `it begins too where 16 looks found no more, or after 50 ms`() {
        var gathering = gathering(64)
        for _ in 0..<16 { #expect(gathering.continues(with: 1, now: .zero) == true) }
        #expect(gathering.continues(with: 1, now: .zero) == false)
        for count in 1...10 {
            for _ in 0..<16 { #expect(gathering.continues(with: count, now: .milliseconds(count)) == true) }
        }
        #expect(gathering.continues(with: 11, now: .microseconds(50_999)) == true)
        #expect(gathering.continues(with: 12, now: .milliseconds(51)) == false)
    }

    @Test func `one writer that is left waits ten times at most`() {
        var gathering = gathering(64)
        var waits = 0
        while gathering.continues(with: 1, now: .zero) {
            waits += 1
            while gathering.continues(with: 1, now: .zero) {}
            gathering.committed(1, waiting: 0)
        }
        #expect(waits <= 10)
    }
}
