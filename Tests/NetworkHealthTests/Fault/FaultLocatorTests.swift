import Foundation
import NetworkPath
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealth

struct FaultLocatorTests {
    private func instant(_ seconds: Double) -> ContinuousClock.Instant {
        FaultLine.now + .milliseconds(Int64(seconds * 1000))
    }

    private func fault(_ place: FaultLocation, _ kind: FaultKind) -> Fault {
        Fault(place, kind, since: FaultLine.now, [FaultObservation(.state, at: FaultLine.now, says: "It is.")])
    }

    @Test func `a place is entered at most once in 30 s, and an outage left at once`() {
        var hold = FaultHold()
        let cable = fault(.link, .outage)
        #expect(hold.update([cable], at: instant(0)).places == ["link"])
        #expect(hold.update([], at: instant(5)).places == [])
        #expect(hold.update([cable], at: instant(10)).places == [])
        #expect(hold.update([cable], at: instant(29.9)).places == [])
        #expect(hold.update([cable], at: instant(30)).places == ["link"])
        #expect(hold.update([], at: instant(34.9)).places == ["link"])
        #expect(hold.update([], at: instant(35)).places == [])
    }

    @Test func `a loss ends 30 s after its last evidence, and a delay begins after 30 s of it`() {
        var hold = FaultHold()
        #expect(hold.update([fault(.access, .loss), fault(.access, .latency)], at: instant(0)).map(\.kind) == [.loss])
        #expect(hold.update([fault(.access, .latency)], at: instant(29)).map(\.kind) == [.loss])
        #expect(hold.update([fault(.access, .latency)], at: instant(30)).map(\.kind) == [.loss, .latency])
        #expect(hold.update([], at: instant(59)).map(\.kind) == [.latency])
    }

    @Test func `an unplaced outage is said after 15 s, and gives way to a place`() {
        var hold = FaultHold()
        #expect(hold.update([fault(.unknown, .outage)], at: instant(0)).places == [])
        #expect(hold.update([fault(.unknown, .outage)], at: instant(14.9)).places == [])
        #expect(hold.update([fault(.unknown, .outage)], at: instant(15)).places == ["unknown"])
        #expect(hold.update([fault(.access, .outage)], at: instant(16)).places == ["access"])
        // Less is known than before, and nothing that contradicts it.
        #expect(hold.update([fault(.unknown, .outage)], at: instant(120)).places == ["access"])
        #expect(hold.update([], at: instant(121)).places == [])
    }

    @Test func `the place of an outage is void once it has another cause`() {
        var hold = FaultHold()
        #expect(hold.update([fault(.link, .outage)], at: instant(0)).places == ["link"])
        #expect(hold.update([fault(.unknown, .outage)], keepsOutages: false, at: instant(5)).places == [])
        #expect(hold.update([fault(.unknown, .outage)], at: instant(20)).places == ["unknown"])
        // The cable is in again, and nothing answers behind it; whether it is checked at once or not.
        for isUnchecked in [false, true] {
            var (line, locator) = (FaultLine().offline(.link, for: 2), FaultLocator())
            #expect(locator.update(line.evidence, at: instant(0)).places == ["link"])
            line.evidence.outage?.cause = nil
            if isUnchecked { #expect(locator.update(line.evidence, at: instant(1)).isEmpty) }
            line.evidence.outage?.cause = .noInternet
            #expect(locator.update(line.evidence, at: instant(2)).isEmpty)
            #expect(locator.update(line.evidence, at: instant(17)).places == ["unknown"])
        }
    }

    @Test func `several faults hold at once, the nearest to this host first`() {
        var locator = FaultLocator()
        var line = FaultLine(probes: 60)
        line.evidence.link.signal = -80
        var server = FaultEvidence.NameServer("192.0.2.53")
        for number in 0..<6 {
            server.window.push(number == 0 ? .seconds(0.1) : nil, at: FaultLine.now - .seconds(6 - number))
        }
        line.evidence.nameServers = [server]
        #expect(locator.update(line.evidence, at: FaultLine.now).places == ["link", "dns"])
    }

    @Test func `what was lost in an outage, or under a speed test, is no loss after it`() {
        let line = FaultLine(probes: 100) { hop, number in hop != 1 && number.isMultiple(of: 5) ? nil : 10 }
        var (locator, other) = (FaultLocator(), FaultLocator())
        for _ in 0..<2 {
            let calm = FaultLine().evidence
            _ = (locator.update(calm, at: instant(-200)), other.update(calm, at: instant(-200)))
        }
        #expect(other.update(line.evidence, at: FaultLine.now).places == ["access"])
        var testing = line.evidence
        testing.isTesting = true
        #expect(locator.update(testing, at: FaultLine.now - .seconds(1)).isEmpty)
        #expect(locator.update(line.evidence, at: FaultLine.now).isEmpty)
    }

    @Test func `what was found over one path does not hold over another one`() {
        let lossy = FaultLine(probes: 100) { hop, number in hop != 1 && number.isMultiple(of: 5) ? nil : 10 }
        let dead = FaultLine(probes: 20) { distance, _ in distance == 1 ? 10 : nil }.offline()
        for before in [lossy.evidence, dead.evidence] {
            var locator = FaultLocator()
            for _ in 0..<2 { _ = locator.update(FaultLine().evidence, at: instant(-200)) }
            #expect(locator.update(before, at: FaultLine.now).places == ["access"])
            // Nothing is known of the routers there.
            var after = FaultLine().evidence
            (after.hops, after.outage, after.isOnline) = ([], before.outage, before.isOnline)
            after.path?.interface = Interface(name: "wwan0", index: 3, type: .cellular)
            #expect(locator.update(after, at: instant(1)).isEmpty)
        }
    }

    @Test func `what routers did on one path is no place of an outage that goes on over another one`() {
        let silent = FaultLine(probes: 20) { distance, _ in distance == 1 ? 10 : nil }.offline()
        let refused = FaultLine().offline(refusals: [("192.168.1.1", 0, 1, 4), ("192.168.1.1", 0, 1, 3)])
        for line in [silent, refused] {
            var locator = FaultLocator()
            for _ in 0..<2 { _ = locator.update(FaultLine().evidence, at: instant(-200)) }
            #expect(locator.update(line.evidence, at: instant(0)).places == ["access"])
            var other = line.evidence
            other.path?.interface = Interface(name: "eth1", index: 3, type: .wiredEthernet)
            // The routers of before are known until the next reading of the hops, and their errors for 90 s.
            #expect(locator.update(other, at: instant(1)).isEmpty)
            other.hops[0].hops = []
            #expect(locator.update(other, at: instant(2)).isEmpty)
            #expect(locator.update(other, at: instant(17)).places == ["unknown"])
        }
    }

    /// The line goes on: all hops answer, or of those behind the router and of the servers only what `answers` lets through.
    private func go(
        on line: inout FaultLine,
        _ locator: inout FaultLocator,
        at times: [Int],
        answers: (Int) -> Bool = { _ in true }
    ) -> [Fault] {
        var faults: [Fault] = []
        for time in times {
            for index in line.evidence.hops[0].hops.indices {
                let outcome = index == 0 || answers(time) ? Duration.milliseconds(10) : nil
                line.evidence.hops[0].hops[index].window.push(outcome, at: instant(Double(time)))
            }
            for index in line.evidence.servers.indices where time.isMultiple(of: 5) {
                let outcome = answers(time / 5) ? Duration.milliseconds(10) : nil
                line.evidence.servers[index].window.push(outcome, at: instant(Double(time)))
            }
            faults = locator.update(line.evidence, at: instant(Double(time)))
        }
        return faults
    }

    @Test func `what was lost in an outage does not hide the next one`() {
        var (line, locator) = (FaultLine(), FaultLocator())
        _ = go(on: &line, &locator, at: [60])
        for begin in [100, 2000] {
            line.evidence.outage = FaultEvidence.OngoingOutage(.noInternet, since: instant(Double(begin)))
            #expect(go(on: &line, &locator, at: Array(begin...begin + 8)) { _ in false }.places == ["access"])
            #expect(go(on: &line, &locator, at: Array(begin + 9...begin + 60)) { _ in false }.places == ["access"])
            let slow = Array(stride(from: begin + 90, through: begin + 600, by: 30))
            #expect(go(on: &line, &locator, at: slow) { _ in false }.places == ["access"])
            line.evidence.outage = nil
            #expect(go(on: &line, &locator, at: [610, 620, 640, 900, 1200].map { begin + $0 }).isEmpty)
        }
    }

    @Test func `a loss that comes again has its place again`() {
        var (line, locator) = (FaultLine(), FaultLocator())
        _ = go(on: &line, &locator, at: [60])
        for begin in [100, 3000] {
            let loss = go(on: &line, &locator, at: Array(begin..<begin + 100)) { $0 % 5 != 4 }
            #expect(loss.map(\.pair) == [Fault.Pair(.access, .loss)])
            #expect(go(on: &line, &locator, at: [300, 600, 900, 1200].map { begin + $0 }).isEmpty)
        }
    }

    @Test func `an error that a router sends while the internet is reached decides no outage later`() {
        let refusals: [(sender: String, code: UInt8, distance: Int?, age: Int)] = [
            ("192.168.1.1", 13, 1, 4), ("192.168.1.1", 13, 1, 3),
        ]
        let outage = FaultLine().offline(.noInternet, for: 2, refusals: refusals)
        var before = outage.evidence
        (before.outage, before.isOnline) = (nil, true)
        var during = outage.evidence
        for age in [1, 0] {
            var refusal = during.hops[0].refusals[0]
            refusal.at = FaultLine.now + .seconds(20 - age)
            during.hops[0].refusals.append(refusal)
        }
        during.outage = FaultEvidence.OngoingOutage(.noInternet, since: FaultLine.now + .seconds(10))
        var (experienced, fresh) = (FaultLocator(), FaultLocator())
        _ = experienced.update(before, at: FaultLine.now)
        #expect(experienced.update(during, at: FaultLine.now + .seconds(20)).isEmpty)
        #expect(fresh.update(during, at: FaultLine.now + .seconds(20)).places == ["policy"])
    }

    @Test func `every pair has a kind, and each place somebody to call`() {
        #expect(Set(Fault.Pair.all).count == Fault.Pair.all.count)
        #expect(Set(Fault.Pair.all.map(\.location)) == Set(FaultLocation.allCases))
        #expect(Fault.Pair.all == Fault.Pair.all.sorted())
        #expect(FaultLocation.allCases.allSatisfy { !$0.call.isEmpty })
    }

    @Test func `the page has the table of the code`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/where.md")
        let page = try String(contentsOf: file.standardized, encoding: .utf8)
        for place in FaultLocation.allCases {
            let kinds = place.kinds.map(\.rawValue).joined(separator: ", ")
            let row = page.split(separator: "\n").first { $0.hasPrefix("| `\(place.rawValue)` |") }
            #expect(row?.hasSuffix("| \(kinds) | \(place.call) |") == true, "\(place): \(kinds) | \(place.call)")
        }
    }
}
