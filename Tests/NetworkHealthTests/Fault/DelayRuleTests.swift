import Probing
import Statistics
import Testing

@testable import NetworkHealth

/// Rules R2 and R5.
struct DelayRuleTests {
    /// So much longer behind a distance, with a queue that all later points see alike.
    private func line(_ rise: Double, behind distance: Int, router: Double = 0, swing: Double = 0) -> FaultLine {
        FaultLine(probes: 60) { hop, number in
            let own = hop == 1 ? router * (1 + 0.2 * Double(number * 7 % 5 - 2)) : 0
            guard hop == 0 || hop > distance else { return 10 + own }
            return 10 + own + rise + swing * Double((hop == 0 ? number * 5 : number) % 3 - 1)
        }
    }

    private func places(_ line: FaultLine) -> [String] { DelayRule.faults(in: line.scene).places }

    @Test(arguments: [(0, "link"), (1, "access"), (2, "provider"), (3, "provider"), (4, "internet")])
    func `a queue is before the first point at which the delay rises`(distance: Int, place: String) {
        #expect(places(line(50, behind: distance)) == [place])
    }

    @Test func `five milliseconds are a rise`() {
        #expect(places(line(5, behind: 1)) == ["access"])
        #expect(places(line(4.9, behind: 1)) == [])
    }

    @Test func `a rise is at least three deviations`() {
        #expect(places(line(31, behind: 1, swing: 10)) == ["access"])
        #expect(places(line(29, behind: 1, swing: 10)) == [])
    }

    @Test func `a slow router alone decides nothing`() {
        #expect(places(line(0, behind: 9, router: 50)) == [])
        #expect(places(line(50, behind: 1, router: 0)) == ["access"])
        // As slow as the queue behind it, and not at the same time.
        #expect(places(line(50, behind: 1, router: 50, swing: 8)) == ["unknown"])
    }

    @Test func `a later point without the delay clears a nearer one`() {
        let line = FaultLine(probes: 60) { hop, _ in hop == 2 ? 60 : 10 }
        #expect(places(line) == [])
        let both = FaultLine(probes: 60) { hop, _ in hop == 2 ? 90 : hop == 1 ? 10 : 60 }
        #expect(places(both) == ["unknown"])
    }

    @Test(arguments: [(5.0, "access"), (14, "unknown")])
    func `all points behind the stretch have to rise, too, over the one before it`(swing: Double, place: String) {
        // The third hop rises by 45 ms, of which the router has ten, and varies by so many.
        let line = FaultLine(probes: 60) { hop, number in
            hop == 1 ? 20 : hop == 3 ? 55 + swing * Double(number % 3 - 1) : 60
        }
        #expect(places(line) == [place])
    }

    @Test func `the least delay of trouble alone is not the best`() {
        var line = line(50, behind: 1)
        for index in 1...3 {
            var window = OutcomeWindow(capacity: 600)
            for number in 0..<60 { window.push(.milliseconds(60), at: FaultLine.now - .seconds(60 - number)) }
            line.evidence.hops[0].hops[index].window = window
            line.evidence.hops[0].hops[index].minimum = .milliseconds(60)
        }
        #expect(places(line) == ["unknown"])
    }

    @Test func `a line that this computer fills is not the provider's fault`() {
        var line = line(50, behind: 1)
        (line.evidence.host.received, line.evidence.host.measuredDownload) = (7e6, 10e6)
        #expect(places(line) == ["host"])
        line.evidence.host.received = 6.9e6
        #expect(places(line) == ["access"])
        #expect(!DelayRule.faults(in: line.scene).sentences.contains(DelayRule.foreign))
        line.evidence.host.received = 2.9e6
        #expect(places(line) == ["access"])
        // All of a line that became slower since it was measured.
        #expect(DelayRule.faults(in: line.scene).sentences.hasPrefix(DelayRule.foreignOrSlower))
        line.evidence.host.received = 0.09e6
        #expect(DelayRule.faults(in: line.scene).sentences.hasPrefix(DelayRule.foreign))
        line.evidence.host.sent = 0.1e6
        #expect(DelayRule.faults(in: line.scene).sentences.hasPrefix(DelayRule.foreignOrSlower))
        // How much the line carries is not known.
        (line.evidence.host.received, line.evidence.host.measuredDownload) = (2.9e6, nil)
        #expect(places(line) == ["unknown"])
        line.evidence.host.received = 0.9e6
        #expect(places(line) == ["access"])
    }

    @Test func `a busy computer delays packets itself`() {
        var line = FaultLine(probes: 60) { _, number in number.isMultiple(of: 6) ? 10 : 40 }
        #expect(places(line) == ["link"])
        line.evidence.host.processorPressure = 0.39
        #expect(places(line) == ["link"])
        line.evidence.host.processorPressure = 0.4
        #expect(places(line) == ["host"])
        // Before the rise began packets had none.
        let begun = FaultLine(probes: 60) { distance, number in number < (distance == 0 ? 4 : 20) ? 10 : 40 }
        var late = begun
        late.evidence.host.processorPressure = 0.4
        #expect(places(begun) == ["link"] && places(late) == ["link"])
        // A queue delays each packet.
        var queue = self.line(30, behind: 0)
        queue.evidence.host.processorPressure = 0.4
        #expect(places(queue) == ["link"])
    }

    @Test func `a slow destination is alone`() {
        var line = FaultLine(probes: 60)
        line.evidence.servers[2].minimum = .milliseconds(1)
        #expect(places(line) == [])
        var window = OutcomeWindow()
        for number in 0..<12 { window.push(.milliseconds(60), at: FaultLine.now - .seconds(60 - number * 5)) }
        line.evidence.servers[2].window = window
        line.evidence.servers[2].minimum = .milliseconds(10)
        #expect(places(line) == ["destination"])
    }
}
