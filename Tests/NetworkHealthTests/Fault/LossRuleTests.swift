import Posix
import Statistics
import Testing

@testable import NetworkHealth

/// Where packets are lost.
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

    @Test func `hops differ by three and a half standard errors, the servers from a hop by three`() {
        func isWorse(_ losses: Int, isServers: Bool) -> Bool {
            let tally = LossTally(probes: 60, losses: losses)
            var measure = LossMeasure(tally, shared: tally)
            if !isServers { measure.shared = nil }
            return measure.isWorse(than: LossMeasure(LossTally(probes: 60), shared: LossTally()))
        }
        #expect(!isWorse(11, isServers: false) && isWorse(12, isServers: false))
        #expect(!isWorse(8, isServers: true) && isWorse(9, isServers: true))
    }

    @Test(arguments: [(15, 2), (12, nil)])
    func `all points behind the stretch have to lose, too`(ofThird: Int, end: Int?) {
        func hop(_ losses: Int) -> LossMeasure {
            var measure = LossMeasure(LossTally(probes: 100, losses: losses), shared: LossTally())
            (measure.shared, measure.calm) = (nil, LossTally(probes: 20))
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
        func faults(_ probes: Int, calmLosses: Int) -> [Fault] {
            let key = FaultScene.PointKey(family: .ipv4, distance: 2)
            let calm = [key: CalmProbes(LossTally(probes: probes, losses: calmLosses), counted: 0)]
            let scene = FaultScene(line.evidence, at: FaultLine.now, quietSince: nil, calm: calm)
            return LossRule.faults(in: scene)
        }
        func places(_ probes: Int, calmLosses: Int) -> [String] { faults(probes, calmLosses: calmLosses).places }
        let missing =
            "198.51.100.1, the first hop of your provider, left out probes before, too, or was hardly asked then."
        #expect(faults(20, calmLosses: 1).sentences.hasSuffix(missing))
        #expect(places(20, calmLosses: 0) == ["access"])
        #expect(places(20, calmLosses: 1) == ["unknown"] && places(200, calmLosses: 1) == ["access"])
        // One that was hardly asked is none either.
        #expect(places(5, calmLosses: 0) == ["access"] && places(4, calmLosses: 0) == ["unknown"])
    }

    @Test func `a hop that was well before is contradicted by a later one beyond chance alone`() {
        func places(ofThird: Int) -> [String] {
            self.places(
                FaultLine(probes: 420) { hop, number in
                    let every = hop == 3 ? ofThird : hop == 1 ? 1000 : 20
                    return number % every == every - 1 ? nil : 10
                }
            )
        }
        // A fifteenth behind it is a loss of the access, a hop that hardly loses leaves open which of the two is no witness.
        #expect(places(ofThird: 15) == ["access"])
        #expect(places(ofThird: 60) != ["provider"])
        #expect(places(ofThird: 420) == ["provider"])
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
