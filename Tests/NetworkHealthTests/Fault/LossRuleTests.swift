import Posix
import Statistics
import Testing

@testable import NetworkHealth

/// Rule R3.
struct LossRuleTests {
    /// Losses of a share behind a distance, evenly.
    private func line(
        _ addresses: [String?] = FaultLine.addresses,
        behind distance: Int,
        every: Int,
        probes: Int = 100,
        limiting: (distance: Int, every: Int)? = nil
    ) -> FaultLine {
        FaultLine(addresses, probes: probes) { hop, number in
            if let limiting, hop == limiting.distance, number.isMultiple(of: limiting.every) { return nil }
            return (hop == 0 || hop > distance) && number % every == every - 1 ? nil : 10
        }
    }

    private func places(_ line: FaultLine) -> [String] { LossRule.faults(in: line.scene).places }

    @Test(arguments: [(0, "link"), (1, "access"), (2, "provider"), (3, "provider"), (4, "internet")])
    func `a loss of a fifth has its place after a hundred probes`(distance: Int, place: String) {
        #expect(places(line(behind: distance, every: 5)) == [place])
    }

    @Test func `a check whose packets are sent again does not clear the way`() {
        var line = line(behind: 1, every: 5)
        line.evidence.servers = [line.evidence.servers[0], FaultEvidence.Server("checks", .ipv4)]
        for number in 0..<100 {
            line.evidence.servers[1].window.push(.milliseconds(10), at: FaultLine.now - .seconds(100 - number))
        }
        #expect(places(line) != ["access"])
        line.evidence.servers[1].showsLoss = false
        #expect(places(line) == ["access"])
    }

    @Test func `a fifth takes sixty probes, a twentieth many more`() {
        #expect(places(line(behind: 1, every: 5, probes: 60)) == ["access"])
        #expect(places(line(behind: 1, every: 5, probes: 55)) == ["unknown"])
        #expect(places(line(behind: 1, every: 20, probes: 540)) == ["access"])
        #expect(places(line(behind: 1, every: 20, probes: 420)) == ["access"])
        #expect(places(line(behind: 1, every: 20, probes: 400)) == ["unknown"])
    }

    @Test func `a loss of a hundredth is none`() {
        #expect(places(line(behind: 1, every: 40, probes: 600)) == ["access"])
        #expect(places(line(behind: 1, every: 100, probes: 600)) == [])
    }

    @Test func `successive points differ by three standard errors`() {
        let (few, many) = (LossTally(probes: 60, losses: 8), LossTally(probes: 60, losses: 9))
        let none = LossMeasure(LossTally(probes: 60, losses: 0), shared: LossTally())
        #expect(!LossMeasure(few, shared: few).isWorse(than: none))
        #expect(LossMeasure(many, shared: many).isWorse(than: none))
    }

    @Test(arguments: [(12, 2), (9, nil)])
    func `all points behind the stretch have to lose, too`(ofThird: Int, end: Int?) {
        func hop(_ losses: Int) -> LossMeasure {
            var measure = LossMeasure(LossTally(probes: 100, losses: losses), shared: LossTally())
            measure.shared = nil
            return measure
        }
        let servers = LossTally(probes: 100, losses: 20)
        let points = [(distance: 1, measure: hop(1)), (2, hop(20)), (3, hop(ofThird))]
        let search = StepSearch(points, end: LossMeasure(servers, shared: servers))
        guard case .found(let step) = search.result else {
            #expect(end == nil)
            return
        }
        #expect(step.end == end)
    }

    @Test func `few losses of the servers are chance where standard errors would accuse`() {
        let (hop, few, many) = (
            LossTally(probes: 252, losses: 5), LossTally(probes: 78, losses: 11), LossTally(probes: 78, losses: 14)
        )
        #expect(hop.excess(of: few) > 4)
        let (nearer, shared) = (LossMeasure(hop, shared: hop), LossTally(probes: 52, losses: 7))
        #expect(!LossMeasure(few, shared: shared).isShared(behind: nearer))
        #expect(LossMeasure(many, shared: shared).isShared(behind: nearer))
    }

    @Test func `a hop that ignores half of its probes is cleared by a later one`() {
        #expect(places(line(behind: 9, every: 5, limiting: (2, 2))) == ["internet"])
        var healthy = FaultLine(probes: 100) { hop, number in hop == 2 && number.isMultiple(of: 2) ? nil : 10 }
        #expect(places(healthy) == [])
        healthy.evidence.servers = []
        #expect(places(healthy) == [])
        // Whether the loss begins before or behind it is open.
        #expect(places(line(behind: 1, every: 5, limiting: (2, 2))) == ["unknown"])
        #expect(places(line(behind: 2, every: 5, limiting: (2, 2))) == ["unknown"])
        #expect(places(line(behind: 0, every: 5, limiting: (2, 2))) == ["link"])
    }

    @Test func `a hop that left probes without an answer before the trouble is no witness`() {
        let line = line(behind: 1, every: 5)
        func places(calmLosses: Int) -> [String] {
            let key = FaultScene.HopKey(family: .ipv4, distance: 2)
            let calm = [key: LossTally(probes: 20, losses: calmLosses)]
            let scene = FaultScene(line.evidence, at: FaultLine.now, quietSince: nil, calm: calm)
            return LossRule.faults(in: scene).places
        }
        #expect(places(calmLosses: 0) == ["access"])
        #expect(places(calmLosses: 1) == ["unknown"])
    }

    @Test func `a short outage is no loss`() {
        let blip = FaultLine(probes: 100) { hop, number in hop != 1 && (20..<40).contains(number) ? nil : 10 }
        #expect(places(blip) != ["access"])
    }

    @Test func `what was measured before the trouble's begin does not count`() {
        let line = line(behind: 1, every: 5)
        let scene = FaultScene(line.evidence, at: FaultLine.now, quietSince: FaultLine.now - .seconds(30))
        #expect(!LossRule.faults(in: scene).places.contains("access"))
    }

    @Test func `a computer that fills the line may lose packets itself, a busy one does not`() {
        var line = line(behind: 0, every: 5)
        // The kernel keeps an answer until the process runs.
        line.evidence.host.processorPressure = 1
        #expect(places(line) == ["link"])
        (line.evidence.host.received, line.evidence.host.measuredDownload) = (7e6, 10e6)
        #expect(places(line) == [])
    }

    @Test func `one server that loses alone is the destination`() {
        var line = FaultLine(probes: 600)
        var window = OutcomeWindow(capacity: 600)
        for number in 0..<120 {
            window.push(number % 5 == 4 ? nil : .milliseconds(10), at: FaultLine.now - .seconds((120 - number) * 5))
        }
        line.evidence.servers[1].window = window
        #expect(places(line) == ["destination"])
        #expect(LossRule.faults(in: line.scene).sentences.contains("24 of 120 probes to two, were not answered."))
        // A single server cannot be told from the internet.
        line.evidence.servers = [line.evidence.servers[1]]
        #expect(places(line) == ["unknown"])
    }
}
