import Foundation
import Lab
import Testing

@testable import OfflineQueue

/// Requests to one host without an ordering key.
@Suite struct QueueLaneTests {
    private func machine(_ numbers: ClosedRange<Int64>, due: Duration = .zero) -> QueueMachine {
        var machine = QueueMachine()
        machine.setOnline(true)
        for number in numbers { machine.add(.make(number, host: "host", due: due)) }
        return machine
    }

    /// What is sent between two times, each try ended at once.
    private func run(
        _ machine: inout QueueMachine,
        from start: Duration = .zero,
        until end: Duration,
        jitter: Double = 1,
        attempt: (Int64) -> QueueMachine.Attempt
    ) -> [(sequence: Int64, time: Duration)] {
        var (now, tries) = (start, [(sequence: Int64, time: Duration)]())
        while now <= end {
            let plan = machine.plan(now: now)
            for sequence in plan.sends {
                tries.append((sequence, now))
                machine.finish(sequence, attempt(sequence), now: now, jitter: jitter)
            }
            if plan.sends.isEmpty {
                guard let wake = plan.wake, wake > now else { break }
                now = wake
            }
        }
        return tries
    }

    @Test func `are sent one after the other, in the order of their acceptance`() {
        var machine = QueueMachine.make(.make(2, host: "host"), .make(3, host: "host"), .make(1, host: "host"))
        for sequence in Int64(1)...3 {
            #expect(machine.sends() == [sequence])
            #expect(machine.sends() == [])
            machine.finish(sequence, .status(200), now: .zero, jitter: 1)
        }
    }

    @Test(arguments: [QueueMachine.Attempt.failed, .status(503), .forbiddenAddress])
    func `one that fails delays the others by half a second, and then only itself`(_ failure: QueueMachine.Attempt) {
        var machine = machine(1...10)
        let tries = run(&machine, until: .seconds(20)) { $0 == 1 ? failure : .status(200) }
        #expect(tries.prefix(10).map(\.sequence) == Array(1...10))
        #expect(tries.dropFirst().prefix(9).allSatisfy { $0.time == .milliseconds(500) })
        // After 0.5, 1, 2, 4 and 8 s.
        #expect(tries.dropFirst(10).map(\.time) == [0.5, 1.5, 3.5, 7.5, 15.5].map { .seconds($0) })
        #expect(tries.dropFirst(10).allSatisfy { $0.sequence == 1 })
        #expect(machine.statistics(now: .zero).pending == 1)
    }

    @Test func `one that never gets an answer does not come before those that have waited longer`() {
        var machine = machine(1...3)
        #expect(machine.sends() == [1])
        machine.finish(1, .failed, now: .seconds(30), jitter: 0.1)
        // It is due again at 30.05 s, as long as its lane pauses.
        #expect(machine.sends(30.05) == [2])
        machine.finish(2, .failed, now: .seconds(60), jitter: 0.1)
        #expect(machine.sends(60.1) == [3])
        machine.finish(3, .status(200), now: .seconds(61), jitter: 0.1)
        #expect(machine.sends(61) == [1])
    }

    @Test func `ten that fail in a row hold up the eleventh for minutes at most, not for an hour`() {
        var machine = machine(1...11)
        let tries = run(&machine, until: .seconds(3600)) { $0 <= 10 ? .failed : .status(200) }
        let time = tries.first { $0.sequence == 11 }?.time
        // 0.5 + 1 + 2 + … + 32 s, then a minute each.
        #expect(time == .seconds(63.5 + 3 * 60))
    }

    @Test(arguments: [1, 100, 10_000])
    func `a host that is down gets two tries a minute on average, however many wait for it`(_ count: Int64) {
        var machine = machine(1...count)
        var random = SplitMix64(state: 30)
        var (now, tries) = (Duration.zero, 0)
        while now < .seconds(6 * 3600) {
            let plan = machine.plan(now: now)
            #expect(plan.sends.count <= 1)
            for sequence in plan.sends {
                tries += 1
                machine.finish(sequence, .failed, now: now, jitter: .random(in: 0...1, using: &random))
            }
            guard plan.sends.isEmpty else { continue }
            guard let wake = plan.wake, wake > now else { break }
            now = wake
        }
        // One alone has only its own waits, of 150 s on average.
        #expect((count == 1 ? 100...200 : 600...850).contains(tries), "\(tries) tries in 6 hours")
    }

    @Test func `a host that is down does not come before one that was never tried`() {
        var machine = QueueMachine.make(limits: QueueLimits(maxInFlight: 1))
        for sequence in Int64(1)...2 { machine.add(.make(sequence, host: "down")) }
        machine.add(.make(3, host: "up", due: .seconds(5)))
        #expect(machine.sends() == [1])
        machine.finish(1, .failed, now: .seconds(5), jitter: 1)
        #expect(machine.sends(6) == [3])
    }

    @Test func `large requests are sent beside others up to a sum of bytes, and one above it alone`() {
        var machine = QueueMachine.make(
            .make(1, lane: "a", size: 600),
            .make(2, lane: "b", size: 600),
            .make(3, lane: "c", size: 400),
            .make(4, lane: "d", size: 5000),
            limits: QueueLimits(maxInFlightBytes: 1000)
        )
        #expect(machine.sends() == [1, 3])
        machine.finish(3, .status(200), now: .zero, jitter: 0)
        #expect(machine.sends() == [])
        machine.finish(1, .status(200), now: .zero, jitter: 0)
        #expect(machine.sends() == [2])
        machine.finish(2, .failed, now: .zero, jitter: 1)
        #expect(machine.sends() == [4])
        machine.finish(4, .status(200), now: .zero, jitter: 0)
        #expect(machine.sends(600) == [2])
    }

    @Test func `later requests wait for one that has to be sent alone`() {
        var machine = QueueMachine.make(
            .make(1, lane: "a"),
            .make(2, lane: "b", size: 5000),
            limits: QueueLimits(maxInFlightBytes: 1000)
        )
        #expect(machine.sends() == [1])
        machine.add(.make(3, lane: "c"))
        #expect(machine.sends() == [])
        machine.finish(1, .status(200), now: .zero, jitter: 0)
        #expect(machine.sends() == [2])
        machine.finish(2, .status(200), now: .zero, jitter: 0)
        #expect(machine.sends() == [3])
    }

    @Test func `an answer that ends a request ends the pause of its host`() {
        for status in [200, 404] {
            var machine = machine(1...20)
            let tries = run(&machine, until: .seconds(200)) { $0 <= 8 ? .failed : .status($0 == 9 ? status : 200) }
            let ninth = tries.first { $0.sequence == 9 }?.time ?? .zero
            #expect(ninth == .seconds(63.5 + 60))
            #expect(tries.filter { $0.sequence > 9 }.allSatisfy { $0.time == ninth })
        }
    }

    @Test func `the server's Retry-After holds the whole host, for five minutes at most`() {
        for (wait, pause) in [(Duration.seconds(3), Duration.seconds(3)), (.seconds(9000), .seconds(300))] {
            var machine = machine(1...2)
            #expect(machine.sends() == [1])
            #expect(
                machine.finish(1, .status(429, retryAfter: wait), now: .zero, jitter: 0)
                    == .retry(due: wait, counts: true)
            )
            #expect(machine.plan(now: pause - .nanoseconds(1)) == QueueMachine.Plan(wake: pause))
            #expect(machine.plan(now: pause).sends == [2])
        }
    }

    @Test func `after an outage they are tried at once, in the order of their acceptance`() {
        var machine = machine(1...4, due: .seconds(1))
        let tries = run(&machine, from: .seconds(1), until: .seconds(2)) { _ in .failed }
        #expect(tries.map(\.sequence) == [1, 2])
        machine.setOnline(false)
        machine.setOnline(true)
        #expect(
            run(&machine, from: .seconds(2), until: .seconds(2)) { _ in .status(200) }.map(\.sequence) == [1, 2, 3, 4]
        )
    }

    @Test func `the end of an outage does not end the pause that a server has asked for`() {
        var machine = machine(1...2)
        #expect(machine.sends() == [1])
        machine.finish(1, .status(503, retryAfter: .seconds(60)), now: .zero, jitter: 1)
        machine.setOnline(false)
        machine.setOnline(true)
        #expect(machine.sends(59) == [])
        #expect(machine.sends(60) == [2])
    }

    @Test func `one that waits for a requirement lets the others pass`() {
        var machine = QueueMachine.make(
            .make(1, host: "host", requirement: "unmetered"),
            .make(2, host: "host"),
            .make(3, host: "host", requirement: "fast")
        )
        #expect(machine.requirements == ["unmetered", "fast"])
        let plan = machine.plan(now: .zero)
        #expect(plan.sends == [2] && plan.waitsForRequirement)
        machine.finish(2, .status(200), now: .zero, jitter: 1)
        #expect(machine.sends(satisfied: ["fast"]) == [3])
        machine.finish(3, .status(200), now: .zero, jitter: 1)
        #expect(machine.sends(satisfied: ["unmetered"]) == [1])
    }

    @Test func `a host and an ordering key of the same name are two lanes`() {
        var machine = QueueMachine.make(.make(1, host: "a"), .make(2, host: "a"), .make(3, lane: "a"))
        #expect(machine.sends() == [1, 3])
    }

    @Test func `a forced retry ends the pause of its host, and a withdrawn or expired one leaves the others`() {
        var machine = QueueMachine.make(
            .make(1, host: "a"),
            .make(2, host: "a"),
            .make(3, host: "a", end: .seconds(2)),
            .make(4, host: "a")
        )
        #expect(machine.sends() == [1])
        machine.finish(1, .status(503, retryAfter: .seconds(60)), now: .zero, jitter: 1)
        #expect(machine.withdraw(QueueEntry.id(2)) == 2)
        let isThere = machine.retry(QueueEntry.id(1))
        #expect(isThere)
        #expect(machine.sends(1) == [1])
        machine.finish(1, .status(503, retryAfter: .seconds(60)), now: .seconds(1), jitter: 1)
        #expect(machine.plan(now: .seconds(2)).expired == [3])
        #expect(machine.sends(2) == [])
        machine.retryAll(now: .seconds(2))
        #expect(machine.sends(2) == [4])
        machine.finish(4, .status(200), now: .seconds(2), jitter: 1)
        #expect(machine.sends(2) == [1])
        machine.finish(1, .status(200), now: .seconds(2), jitter: 1)
        #expect(machine.entries == [:])
    }
}
