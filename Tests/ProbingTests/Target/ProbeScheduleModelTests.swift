import Lab
import Probing
import Testing

/// Random targets, delays, pauses and reloads against what must hold for any of them.
struct ProbeScheduleModelTests {
    /// What the schedule promised one target.
    private struct Promise {
        var interval: Duration
        /// When it was added or its interval last changed.
        var since: Duration
        var last: Duration?
    }

    @Test(.timeLimit(.minutes(3)), arguments: 0..<4)
    func `Turns never drift, are taken in order, and no target starves`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var schedule = ProbeSchedule()
        var promises: [String: Promise] = [:]
        var now = Duration.zero
        for step in 0..<10_000 {
            if step.isMultiple(of: 500) { reload(&schedule, &promises, at: now, using: &random) }
            // Early, in time, late; sometimes after a long pause.
            let pause = Int.random(in: 0..<100, using: &random) == 0
            now =
                max(now, (schedule.next ?? now))
                + .milliseconds(Int.random(in: pause ? 0...60_000 : 0...30, using: &random))
            let turns = schedule.due(at: now)
            check(turns, &promises, at: now)
            #expect(schedule.next.map { $0 > now } ?? true)
            for promise in promises.values {
                // Whoever waits longer than its interval, and the spread after a change, is starved.
                let waited = now - max(promise.last ?? .zero, promise.since)
                #expect(waited <= promise.interval + .seconds(10))
            }
        }
    }

    private func reload(
        _ schedule: inout ProbeSchedule,
        _ promises: inout [String: Promise],
        at now: Duration,
        using random: inout SplitMix64
    ) {
        let count = Int.random(in: 1...40, using: &random)
        let intervals = (0..<count).map { _ in
            let name = "t\(Int.random(in: 0..<60, using: &random))"
            let kept = Bool.random(using: &random) ? promises[name]?.interval : nil
            return (name: name, interval: kept ?? .milliseconds(Int.random(in: 500...20_000, using: &random)))
        }
        let distinct = Dictionary(intervals) { first, _ in first }.map { (name: $0.key, interval: $0.value) }
        schedule.update(distinct, at: now)
        let old = promises
        promises = [:]
        for (name, interval) in distinct {
            if let promise = old[name], promise.interval == interval {
                promises[name] = promise
            } else {
                promises[name] = Promise(interval: interval, since: now)
            }
        }
    }

    private func check(_ turns: [ProbeSchedule.Due], _ promises: inout [String: Promise], at now: Duration) {
        #expect(turns.map(\.time) == turns.map(\.time).sorted())
        #expect(Set(turns.map(\.name)).count == turns.count)
        for turn in turns {
            guard let promise = promises[turn.name] else {
                Issue.record("\(turn.name) is not scheduled")
                continue
            }
            #expect(turn.time <= now)
            if let last = promise.last {
                #expect((turn.time - last).attoseconds % promise.interval.attoseconds == 0)
                #expect(turn.time > last)
            } else {
                #expect(turn.time - promise.since <= max(promise.interval, .seconds(10)))
            }
            // The next turn lies on the grid after now: remember the last point of it that has passed.
            let passed = (now - turn.time).attoseconds / promise.interval.attoseconds
            promises[turn.name]?.last = turn.time + promise.interval * passed
        }
    }

    @Test func `first turns of many targets are spread evenly`() {
        var schedule = ProbeSchedule()
        schedule.update((0..<500).map { ("t\($0)", .seconds(1)) }, at: .zero)
        var counts: [Int64: Int] = [:]
        while let next = schedule.next, next < .seconds(5) {
            for turn in schedule.due(at: next) { counts[turn.time.attoseconds.tenths, default: 0] += 1 }
        }
        #expect(counts.count == 50)
        #expect(counts.values.allSatisfy { $0 == 50 })
    }

    @Test func `Under a rule that changes all the time no target starves`() {
        var schedule = ProbeSchedule()
        var last: [String: Duration] = [:]
        for second in 0..<2000 {
            let now = Duration.seconds(second)
            if second.isMultiple(of: 5) {
                let interval = Duration.seconds(second.isMultiple(of: 2) ? 10 : 100)
                schedule.update((0..<20).map { ("t\($0)", interval) }, at: now)
            }
            for turn in schedule.due(at: now) { last[turn.name] = now }
            #expect(last.values.allSatisfy { now - $0 <= .seconds(111) })
        }
        #expect(last.count == 20)
    }
}

extension Int128 {
    /// Attoseconds in tenths of a second.
    fileprivate var tenths: Int64 { Int64(self / 100_000_000_000_000_000) }
}
