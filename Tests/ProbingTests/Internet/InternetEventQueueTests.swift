import Posix
import Testing

@testable import Probing

/// The events that wait for the machine.
struct InternetEventQueueTests {
    private func all(_ queue: inout InternetEventQueue) -> [InternetStateMachine.Event] {
        var events: [InternetStateMachine.Event] = []
        while let event = queue.next() { events.append(event) }
        return events
    }

    @Test func `Few events wait, however many arrive, and the newest of each kind is kept`() throws {
        var queue = InternetEventQueue()
        for number in 1...10_000 {
            queue.add(.pathChanged(number.isMultiple(of: 2) ? .make(UInt64(number)) : .unsatisfied(UInt64(number))))
            queue.add(.resumed)
            queue.add(.configured(.lab))
            queue.add(.observed(.make(Double(number))))
            queue.add(.passiveReport(nil))
            queue.add(.lossMeasured(Double(number) / 10_000))
            for family in AddressFamily.allCases {
                queue.add(.reported(.family(family, FamilyEvidence()), round: UInt64(number)))
            }
            queue.add(.reported(.portal(isCaptive: nil), round: UInt64(number)))
            queue.add(.timerFired)
            #expect(queue.count <= 12)
        }

        let events = all(&queue)
        let paths = events.compactMap { if case .pathChanged(let path) = $0 { path.generation } else { nil } }
        #expect(paths == [9999, 10_000])
        let losses = events.compactMap { if case .lossMeasured(let loss) = $0 { loss } else { nil } }
        #expect(losses == [1])
        let rounds = events.compactMap { if case .reported(_, let round) = $0 { round } else { nil } }
        #expect(rounds == [10_000, 10_000, 10_000])
    }

    @Test func `Reports of the traffic of other programs are joined`() throws {
        var queue = InternetEventQueue()
        queue.add(.observed(.make(1, received: [.ipv4], stalled: [.ipv6], retransmitted: 0.2)))
        queue.add(.observed(.make(2, received: [.ipv6])))
        queue.add(.observed(.make(3, stalled: [.ipv4])))

        let events = all(&queue)
        guard events.count == 1, case .observed(let report) = events[0] else {
            Issue.record("\(events)")
            return
        }
        #expect(report.at == Moment.at(3))
        #expect(report.receivedFamilies == [.ipv4, .ipv6])
        #expect(report.stalledFamilies == [.ipv4])
        #expect(report.retransmittedShare == 0.2)
    }

    @Test func `A late report of a cancelled round does not replace the report of a newer one`() {
        var queue = InternetEventQueue()
        queue.add(.reported(.family(.ipv4, FamilyEvidence()), round: 2))
        queue.add(.reported(.family(.ipv4, FamilyEvidence()), round: 1))
        queue.add(.reported(.portal(isCaptive: nil), round: 1))
        let rounds = all(&queue).compactMap { if case .reported(_, let round) = $0 { round } else { nil } }
        #expect(rounds == [2])
    }

    @Test func `Events of other kinds keep their order`() {
        var queue = InternetEventQueue()
        queue.add(.lossMeasured(0.5))
        queue.add(.pathChanged(.make(1)))
        queue.add(.lossMeasured(0.1))
        let isPathFirst = if case .pathChanged = queue.next() { true } else { false }
        #expect(isPathFirst)
        #expect(queue.count == 1)
    }
}
