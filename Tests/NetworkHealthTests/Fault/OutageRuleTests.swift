import NetworkPath
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealth

/// Where nothing passes.
struct OutageRuleTests {
    private func faults(_ line: FaultLine) -> [Fault] { OutageRule.faults(in: line.scene) }

    @Test(arguments: [
        (OutageCause.link, FaultLocation.link), (.captivePortal, .policy), (.tlsUntrusted, .policy), (.dnsBroken, .dns),
    ])
    func `some causes have a place of their own`(cause: OutageCause, place: FaultLocation) {
        #expect(faults(FaultLine(probes: 40).offline(cause)).map(\.location) == [place])
    }

    @Test(arguments: [
        (Path.UnsatisfiedReason.noRoute, FaultLocation.host), (.linkDown, .link), (.vpnInactive, .host),
        (.policyDenied, .host), (.cellularInactive, .link),
    ])
    func `without a route the reason of the path decides`(reason: Path.UnsatisfiedReason, place: FaultLocation) {
        var line = FaultLine().offline(.route)
        line.evidence.path = Path(status: .unsatisfied, unsatisfiedReason: reason)
        #expect(faults(line).map(\.location) == [place])
    }

    @Test(arguments: [(Path.UnsatisfiedReason.linkDown, FaultLocation.link), (.noRoute, .link), (.vpnInactive, .vpn)])
    func `a device that is down is the link, or the tunnel`(reason: Path.UnsatisfiedReason, place: FaultLocation) {
        var line = FaultLine().offline(.link)
        line.evidence.path = Path(status: .unsatisfied, unsatisfiedReason: reason)
        #expect(faults(line).map(\.location) == [place])
    }

    @Test func `the router that has no route accuses the access, once is not enough`() {
        let twice = FaultLine().offline(refusals: [("192.168.1.1", 0, 1, 4), ("192.168.1.1", 0, 1, 3)])
        #expect(faults(twice).places == ["access"])
        #expect(faults(twice).sentences == "192.168.1.1, your router, answers: network unreachable.")
        #expect(faults(FaultLine().offline(refusals: [("192.168.1.1", 0, 1, 4)])).places == ["unknown"])
    }

    @Test func `the far side of the router is known by its distance`() {
        let line = FaultLine().offline(refusals: [("100.64.0.2", 1, 1, 4), ("100.64.0.2", 1, 1, 3)])
        #expect(faults(line).places == ["access"])
        #expect(faults(line).sentences.contains("100.64.0.2, the far side of your router, answers: host unreachable."))
        let unknown = FaultLine().offline(refusals: [("100.64.0.2", 1, nil, 4), ("100.64.0.2", 1, nil, 3)])
        #expect(faults(unknown).places == ["unknown"])
    }

    @Test func `a hop of the provider that has no route accuses the provider`() {
        let line = FaultLine().offline(refusals: [("198.51.100.1", 0, 2, 4), ("198.51.100.1", 0, 2, 3)])
        #expect(faults(line).places == ["provider"])
    }

    @Test func `a rejection is a policy, and an error that is older than the outage, or usual, decides nothing`() throws
    {
        let rejected = FaultLine().offline(refusals: [("192.168.1.1", 13, 1, 4), ("192.168.1.1", 13, 1, 3)])
        #expect(faults(rejected).places == ["policy"])
        let old = FaultLine().offline(refusals: [("192.168.1.1", 0, 1, 24), ("192.168.1.1", 0, 1, 23)])
        #expect(faults(old).places == ["unknown"])
        let router = try #require(IPAddress("192.168.1.1"))
        let usual = [
            FaultScene.UsualRefusal(sender: router, meaning: .rejected): FaultLine.now - .seconds(31)
        ]
        let scene = FaultScene(rejected.evidence, at: FaultLine.now, quietSince: nil, usual: usual)
        #expect(OutageRule.faults(in: scene).places == ["unknown"])
        let recent = usual.mapValues { $0 + .seconds(2) }
        let later = FaultScene(rejected.evidence, at: FaultLine.now, quietSince: nil, usual: recent)
        #expect(OutageRule.faults(in: later).places == ["policy"])
    }

    @Test func `a router that has no route for one destination is passed by what answers behind it`() {
        var line = FaultLine(probes: 20) { distance, _ in distance == 0 || distance > 2 ? nil : 10 }
        line = line.offline(refusals: [("192.168.1.1", 0, 1, 4), ("192.168.1.1", 0, 1, 3)])
        #expect(faults(line).places == ["provider"])
    }

    @Test(arguments: [(0, "router"), (1, "access"), (2, "provider"), (3, "provider"), (4, "internet")])
    func `silence begins behind the last hop that answers`(last: Int, place: String) {
        let line = FaultLine(probes: 20) { distance, _ in distance == 0 || distance > last ? nil : 10 }.offline()
        #expect(faults(line).places == [place])
    }

    @Test func `a line that loses most packets is silent by chance, and accuses nothing behind the loss`() {
        // The second hop answers one probe of four: that those behind it answer none of eighteen is no rare chance.
        let lossy = FaultLine(probes: 20) { distance, number in
            distance == 1 || distance == 2 && number % 4 == 3 ? 10 : nil
        }
        #expect(faults(lossy.offline(for: 18)).places == ["unknown"])
        let longer = FaultLine(probes: 30) { distance, number in
            distance == 1 || distance == 2 && number % 4 == 3 ? 10 : nil
        }
        #expect(faults(longer.offline(for: 28)).places == ["unknown"])
        let silent = FaultLine(probes: 20) { distance, _ in distance == 1 || distance == 2 ? 10 : nil }
        #expect(faults(silent.offline(for: 18)).places == ["provider"])
    }

    @Test func `names that do not resolve on a line that loses many packets accuse no name server`() {
        var line = FaultLine(probes: 60) { distance, number in
            distance < 2 && number % 10 == 5 ? nil : 10
        }.offline(.dnsBroken)
        #expect(faults(line).places == ["dns"])
        for index in line.evidence.servers.indices {
            for age in 1...4 { line.evidence.servers[index].window.push(nil, at: FaultLine.now - .seconds(5 - age)) }
        }
        #expect(faults(line).places == ["unknown"])
    }

    @Test func `names that do not resolve accuse no name server where many packets were lost since the outage began`() {
        func line(lost: Int) -> FaultLine {
            FaultLine(probes: 200) { distance, number in distance == 0 && number < lost ? nil : 10 }
                .offline(.dnsBroken, for: 205)
        }
        // Of 40 probes to each server.
        #expect(faults(line(lost: 12)).places == ["unknown"])
        #expect(faults(line(lost: 2)).places == ["dns"])
    }

    @Test func `names that do not resolve accuse no name server where the last ten packets were lost, too`() {
        func line(answered: Bool) -> FaultLine {
            FaultLine(probes: 200) { distance, number in
                distance == 0 && (number >= 28 || !answered) ? nil : 10
            }.offline(.dnsBroken, for: 30)
        }
        #expect(faults(line(answered: true)).places == ["unknown"])
        // They are down themselves.
        #expect(faults(line(answered: false)).places == ["dns"])
    }

    @Test func `names that do not resolve accuse a name server once four questions to others were answered since`() {
        func line(answered: Int, lost: Int = 0) -> FaultLine {
            var line = FaultLine(probes: 5) { distance, _ in distance == 0 ? nil : 10 }.offline(.dnsBroken, for: 4)
            line.evidence.servers = Array(line.evidence.servers.prefix(1))
            line.evidence.servers[0].window = OutcomeWindow()
            for number in 0..<answered + lost {
                let at = FaultLine.now - .milliseconds(3900 - number)
                line.evidence.servers[0].window.push(number < answered ? .milliseconds(10) : nil, at: at)
            }
            return line
        }
        #expect(faults(line(answered: 3)).places == ["unknown"])
        #expect(faults(line(answered: 4)).places == ["dns"])
        #expect(faults(line(answered: 5, lost: 1)).places == ["dns"])
        #expect(faults(line(answered: 4, lost: 1)).places == ["unknown"])
        // Nothing that could show losses is asked.
        #expect(faults(line(answered: 0)).places == ["dns"])
    }

    @Test func `three probes are a silence for a hop that answered twenty, and for one that answered five not yet`() {
        func line(calm: Int, silent: Int) -> FaultLine {
            FaultLine(calm: calm, probes: 12) { distance, number in
                distance == 0 || distance > 1 && number >= 12 - silent ? nil : 10
            }.offline(for: silent)
        }
        #expect(faults(line(calm: 20, silent: 12)).places == ["access"])
        func places(_ calm: Int, _ silent: Int) -> [String] {
            var line = FaultLine(calm: calm, probes: silent) { distance, _ in distance == 1 ? 10 : nil }.offline(
                for: 60
            )
            // The router has answered since.
            line.evidence.hops[0].hops[0].window.push(.milliseconds(10), at: FaultLine.now)
            return faults(line).places
        }
        #expect(places(20, 3) == ["access"] && places(20, 2) == ["unknown"])
        // Those of a search.
        #expect(places(5, 5) == ["access"] && places(5, 4) == ["unknown"])
        #expect(places(3, 9) == ["access"] && places(3, 8) == ["unknown"])
    }

    @Test func `a hop that leaves out half of its probes is silent after seventeen`() {
        func places(_ silent: Int) -> [String] {
            var line = FaultLine(probes: silent) { distance, _ in distance == 1 ? 10 : nil }
            var window = OutcomeWindow(capacity: 600)
            for number in 0..<40 {
                window.push(
                    number.isMultiple(of: 2) ? .milliseconds(10) : nil,
                    at: FaultLine.now - .seconds(900 - number)
                )
            }
            for number in 0..<silent { window.push(nil, at: FaultLine.now - .seconds(silent - number)) }
            for index in 1...3 { line.evidence.hops[0].hops[index].window = window }
            return faults(line.offline(for: 60)).places
        }
        #expect(places(17) == ["access"])
        #expect(places(16) == ["unknown"])
    }

    @Test func `a router that has never answered is there where the kernel reaches it`() {
        func places(isNeighbour: Bool?) -> [String] {
            var line = FaultLine([nil, "198.51.100.1", "198.51.100.9"], probes: 20) { _, _ in nil }.offline(.gateway)
            line.evidence.gateway = IPAddress("192.168.1.1").map { FaultEvidence.Gateway($0) }
            line.evidence.gateway?.isNeighbour = isNeighbour
            return faults(line).places
        }
        #expect(places(isNeighbour: true) == ["access"])
        #expect(places(isNeighbour: nil) == ["unknown"])
    }

    @Test func `a router that is silent and answers the kernel may forward or not`() {
        var line = FaultLine(probes: 20) { _, _ in nil }.offline(.gateway)
        line.evidence.gateway = IPAddress("192.168.1.1").map { FaultEvidence.Gateway($0) }
        line.evidence.gateway?.isNeighbour = false
        #expect(faults(line).places == ["router"])
        line.evidence.gateway?.isNeighbour = true
        #expect(faults(line).places == ["unknown"])
        // The kernel believes for up to 45 s what nothing has confirmed: 6 s after the begin of the outage it was answered, or 4.
        line.evidence.gateway?.confirmedAt = FaultLine.now - .seconds(14)
        #expect(faults(line).places == ["unknown"])
        line.evidence.gateway?.confirmedAt = FaultLine.now - .seconds(16)
        #expect(faults(line).places == ["router"])
    }

    @Test func `a router that has never answered is there since the kernel has reached it, and not before`() {
        var line = FaultLine([nil, "198.51.100.1", "198.51.100.9"], probes: 20) { _, _ in nil }.offline(.gateway)
        line.evidence.gateway = IPAddress("192.168.1.1").map { FaultEvidence.Gateway($0) }
        line.evidence.gateway?.isNeighbour = true
        line.evidence.gateway?.confirmedAt = FaultLine.now - .seconds(14)
        #expect(faults(line).places == ["access"])
        line.evidence.gateway?.confirmedAt = FaultLine.now - .seconds(16)
        #expect(faults(line).places == ["unknown"])
        line.evidence.gateway?.isNeighbour = false
        // The window is without the pings of an outage in which the router is silent.
        var outage = line
        outage.evidence.gateway?.silences = 2
        #expect(faults(outage).places == ["unknown"])
        outage.evidence.gateway?.silences = 3
        #expect(faults(outage).places == ["router"])
        for age in 1...3 { line.evidence.gateway?.window.push(nil, at: FaultLine.now - .seconds(20 - age)) }
        #expect(faults(line).places == ["router"])
    }

    @Test func `a hop between that never answers may be yours or the provider's`() {
        let hidden = FaultLine(["192.168.1.1", nil, "198.51.100.9"], probes: 20) { distance, _ in
            distance == 1 ? 10 : nil
        }
        #expect(faults(hidden.offline()).places == ["unknown"])
        #expect(faults(hidden.offline()).sentences.contains("access or provider"))
    }

    @Test func `through a tunnel the place is unknown, as the line below it is not tested`() {
        var line = FaultLine(probes: 20) { _, _ in nil }.offline()
        line.evidence.path?.interface?.isTunnel = true
        #expect(faults(line).places == ["unknown"])
        #expect(faults(line).sentences.contains("Whether the line below the tunnel works is not known."))
    }

    @Test func `a container and a start in the outage do not see where`() {
        var line = FaultLine(calm: 0).offline()
        #expect(faults(line).places == ["unknown"])
        line = FaultLine(probes: 20) { distance, _ in distance == 1 ? 10 : nil }.offline()
        line.evidence.path?.viewpoint = .container
        #expect(faults(line).places == ["unknown"])
    }
}
