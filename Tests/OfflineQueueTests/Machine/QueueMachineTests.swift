import Foundation
import Lab
import Testing

@testable import OfflineQueue

@Suite struct QueueMachineTests {
    @Test func `sends the first of each key, and the next one only when the first has left`() {
        var machine = QueueMachine.make(.make(1, lane: "a"), .make(2, lane: "a"), .make(3, lane: "b"))
        #expect(machine.sends() == [1, 3])
        #expect(machine.sends() == [])
        #expect(machine.finish(1, .status(200)) == .delivered)
        #expect(machine.sends() == [2])
    }

    @Test func `a key that backs off holds up itself and no other`() throws {
        var machine = QueueMachine.make(
            .make(1, lane: "a"),
            .make(2, lane: "a"),
            .make(3, lane: "b"),
            .make(4, lane: "b")
        )
        #expect(machine.sends() == [1, 3])
        let retry = try #require(machine.finish(1, .status(500)).retry)
        #expect(retry.counts)
        _ = machine.finish(3, .status(204))
        #expect(machine.sends() == [4])
        #expect(machine.plan(now: .zero).wake == retry.due)
        #expect(machine.plan(now: retry.due).sends == [1])
    }

    @Test func `has at most four requests on the way, those that have waited longest first`() {
        var machine = QueueMachine()
        machine.setOnline(true)
        for sequence in Int64(1)...6 {
            machine.add(.make(sequence, lane: "\(sequence)", due: sequence == 1 ? .seconds(1) : .zero))
        }
        #expect(machine.sends(2) == [2, 3, 4, 5])
        #expect(machine.sends(2) == [])
        _ = machine.finish(3, .status(200))
        #expect(machine.sends(2) == [6])
        _ = machine.finish(2, .status(200))
        #expect(machine.sends(2) == [1])
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func `every success delivers`(_ status: Int) {
        var machine = QueueMachine.make(.make(1))
        _ = machine.sends()
        #expect(machine.finish(1, .status(status)) == .delivered)
        #expect(machine.statistics(now: .zero).delivered == 1)
        #expect(machine.statistics(now: .zero).pending == 0)
        #expect(machine.statistics(now: .zero).bytes == 0)
    }

    @Test func `exactly the refusals that another try does not change are permanent`() {
        for status in 100...599 where !(200..<300).contains(status) {
            var machine = QueueMachine.make(.make(1))
            _ = machine.sends()
            let verdict = machine.finish(1, .status(status))
            if (400..<500).contains(status), ![408, 425, 429].contains(status) {
                #expect(verdict == .discard(.status))
                #expect(machine.statistics(now: .zero).discarded == [.status: 1])
            } else {
                #expect(verdict.retry?.counts == true, "\(status): \(verdict)")
                #expect(machine.statistics(now: .zero).pending == 1)
            }
        }
    }

    @Test(arguments: [QueueMachine.Attempt.status(500), .failed])
    func `each failure doubles the longest wait, from half a second to five minutes`(_ failure: QueueMachine.Attempt)
        throws
    {
        var machine = QueueMachine.make(.make(1))
        var now = Duration.zero
        var waits: [Double] = []
        for _ in 0..<12 {
            #expect(machine.plan(now: now).sends == [1])
            let due = try #require(machine.finish(1, failure, now: now, jitter: 1).retry).due
            waits.append((due - now) / .seconds(1))
            now = due
        }
        #expect(waits == [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    }

    @Test func `ten failures and then a success: each wait is within its bound`() throws {
        var machine = QueueMachine.make(.make(1))
        var now = Duration.zero
        for failure in 0..<10 {
            #expect(machine.plan(now: now).sends == [1])
            let verdict = machine.finish(1, .status(500), now: now, seed: UInt64(failure))
            let due = try #require(verdict.retry).due
            #expect(due - now <= Backoff.bound(after: failure))
            if due > now { #expect(machine.plan(now: due - .nanoseconds(1)).sends == []) }
            now = due
        }
        #expect(machine.plan(now: now).sends == [1])
        #expect(machine.finish(1, .status(200), now: now) == .delivered)
        #expect(machine.statistics(now: now).retries == 10)
        #expect(machine.statistics(now: now).discarded == [:])
    }

    @Test func `Retry-After is the least that it waits`() {
        var machine = QueueMachine.make(.make(1))
        _ = machine.sends()
        #expect(machine.finish(1, .status(429, retryAfter: .seconds(3))) == .retry(due: .seconds(3), counts: true))
        #expect(machine.sends(2.999) == [])
        #expect(machine.sends(3) == [1])
    }

    @Test func `only an answer counts as a try`() {
        var machine = QueueMachine.make(.make(1, maxRetries: 2))
        for _ in 0..<100 {
            #expect(machine.sends(10_000) == [1])
            #expect(machine.finish(1, .failed).retry?.counts == false)
        }
        #expect(machine.entry(QueueEntry.id(1))?.retryCount == 0)
        _ = machine.sends(10_000)
        #expect(machine.finish(1, .status(503)).retry?.counts == true, "one answer of two")
        _ = machine.sends(10_000)
        #expect(machine.finish(1, .status(503)) == .discard(.retries))
    }

    @Test
    func `a name that leads to a forbidden address is tried again, and counted, and another network ends its wait`() {
        var machine = QueueMachine.make(.make(1, maxRetries: 1))
        for _ in 0..<3 {
            #expect(machine.sends(10_000) == [1])
            let retry = machine.finish(1, .forbiddenAddress, now: .seconds(9000)).retry
            #expect(retry?.counts == false, "the address may be another one later")
        }
        #expect(machine.entry(QueueEntry.id(1))?.lastFailure == .address)
        #expect(machine.statistics(now: .zero).forbiddenAddresses == 3)
        #expect(machine.statistics(now: .zero).retries == 3)
        _ = machine.sends(10_000)
        _ = machine.finish(1, .forbiddenAddress, now: .seconds(10_000))
        machine.setOnline(false)
        machine.setOnline(true)
        #expect(machine.sends(10_000) == [1])
        _ = machine.finish(1, .failed)
        #expect(machine.entry(QueueEntry.id(1))?.lastFailure == .noAnswer)
        #expect(machine.statistics(now: .zero).forbiddenAddresses == 4)
    }

    @Test func `what may not be sent any more is discarded, and its key goes on`() {
        var machine = QueueMachine.make(.make(1), .make(2))
        #expect(machine.sends() == [1])
        #expect(machine.finish(1, .forbidden) == .discard(.host))
        #expect(machine.statistics(now: .zero).discarded == [.host: 1])
        #expect(machine.sends() == [2])
    }

    @Test func `what can never be sent is discarded, and its key goes on`() {
        var machine = QueueMachine.make(.make(1), .make(2))
        #expect(machine.sends() == [1])
        #expect(machine.finish(1, .invalid) == .discard(.invalid))
        #expect(machine.statistics(now: .zero).discarded == [.invalid: 1])
        #expect(machine.sends() == [2])
    }

    @Test func `a try that the end of the queue interrupts is repeated at once and does not count`() {
        var machine = QueueMachine.make(.make(1))
        _ = machine.sends()
        #expect(machine.finish(1, .interrupted) == .retry(due: .zero, counts: false))
        #expect(machine.statistics(now: .zero).retries == 0)
        #expect(machine.sends() == [1])
    }

    @Test func `what is too old leaves, but not while it is being sent`() {
        var machine = QueueMachine.make(
            .make(1, lane: "a", end: .seconds(5)),
            .make(2, lane: "b", end: .seconds(7))
        )
        #expect(machine.plan(now: .zero).wake == .seconds(5))
        #expect(machine.plan(now: .seconds(6)) == QueueMachine.Plan(wake: nil))
        _ = machine.finish(1, .failed, now: .seconds(6))
        #expect(machine.plan(now: .seconds(6)).expired == [1])
        #expect(machine.finish(2, .status(200), now: .seconds(8)) == .delivered)
        #expect(machine.statistics(now: .seconds(8)).discarded == [.expired: 1])
    }

    @Test func `expires while offline, and the next of its key takes its place`() {
        var machine = QueueMachine.make(.make(1, end: .seconds(5)), .make(2))
        machine.setOnline(false)
        #expect(machine.plan(now: .seconds(4)).expired == [])
        #expect(machine.plan(now: .seconds(5)).expired == [1])
        machine.setOnline(true)
        #expect(machine.sends(5) == [2])
    }

    @Test func `an outage of 23 hours discards nothing`() {
        var machine = QueueMachine.make(.make(1))
        machine.setOnline(false)
        for hour in 1...23 { #expect(machine.plan(now: .seconds(hour * 3600)).expired == []) }
        machine.setOnline(true)
        #expect(machine.sends(23 * 3600) == [1])
    }

    @Test func `waits for its requirement, and its key with it`() {
        var machine = QueueMachine.make(
            .make(1, lane: "a", requirement: "unmetered"),
            .make(2, lane: "a"),
            .make(3, lane: "b")
        )
        #expect(machine.requirements == ["unmetered"])
        let plan = machine.plan(now: .zero)
        #expect(plan.sends == [3])
        #expect(plan.waitsForRequirement)
        #expect(machine.sends(satisfied: ["unmetered"]) == [1])
    }

    @Test func `requests that were stored at once keep the order of the file`() {
        var machine = QueueMachine.make(.make(2), .make(3), .make(1))
        for sequence in Int64(1)...3 {
            #expect(machine.sends() == [sequence])
            _ = machine.finish(sequence, .status(200))
        }
    }

    @Test func `the age of the oldest request grows until it has left`() {
        var machine = QueueMachine.make(.make(1), .make(2))
        #expect(machine.statistics(now: .seconds(9)).oldestAge == .seconds(9))
        #expect(machine.withdrawAll().count == 2)
        #expect(machine.statistics(now: .seconds(9)).oldestAge == nil)
    }

    /// Random events against a machine; what must always hold is checked after each.
    @Test(arguments: 0..<50)
    func `no sequence of events reorders, loses or repeats a request`(_ seed: Int) {
        var random = SplitMix64(state: UInt64(seed))
        var machine = QueueMachine(limits: QueueLimits(maxAge: .seconds(1_000_000)))
        var (now, next) = (Duration.zero, Int64(1))
        var onTheWay: Set<Int64> = []
        var left: [String: [Int64]] = [:]
        var added: [Int64: String] = [:]
        for _ in 0..<600 {
            now += .milliseconds(Int.random(in: 0...2000, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                let lane = "\(Int.random(in: 0..<6, using: &random))"
                let host = lane < "3" ? nil : lane
                machine.add(.make(next, lane: lane, host: host, end: .seconds(1_000_000)))
                added[next] = lane
                next += 1
            case 4: machine.setOnline(Bool.random(using: &random))
            case 5: machine.retryAll(now: now)
            default:
                guard let sequence = onTheWay.min() else { continue }
                onTheWay.remove(sequence)
                let attempt: QueueMachine.Attempt = [
                    .status(200), .status(200), .status(404), .status(500), .failed, .interrupted,
                ][Int.random(in: 0..<6, using: &random)]
                switch machine.finish(sequence, attempt, now: now, seed: random.next()) {
                case .delivered, .discard: left[added[sequence] ?? "", default: []].append(sequence)
                case .retry, .withdrawn: break
                }
            }
            let plan = machine.plan(now: now)
            #expect(plan.expired == [])
            for sequence in plan.sends {
                #expect(onTheWay.insert(sequence).inserted)
                // Without an ordering key others may pass.
                guard let lane = added[sequence], lane < "3" else { continue }
                let earlier = added.filter { $0.key < sequence && $0.value == lane }.keys
                #expect(Set(earlier).isSubset(of: Set(left[lane] ?? [])))
            }
            #expect(onTheWay.count <= 4)
            #expect(Set(onTheWay.compactMap { added[$0] }).count == onTheWay.count)
        }
        for (lane, sequences) in left where lane < "3" { #expect(sequences == sequences.sorted()) }
        #expect(left.values.map(\.count).reduce(0, +) + machine.statistics(now: now).pending == added.count)
    }
}
