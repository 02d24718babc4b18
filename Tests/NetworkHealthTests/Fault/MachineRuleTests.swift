import NetworkPath
import Posix
import Statistics
import Testing

@testable import NetworkHealth

/// Rules R10 and R11, and what the link, name servers and targets say for themselves.
struct MachineRuleTests {
    private func line(_ base: FaultLine = FaultLine(), _ change: (inout FaultEvidence) -> Void) -> FaultLine {
        var line = base
        change(&line.evidence)
        return line
    }

    private func test(_ rate: Double, expected: Double? = 200e6) -> SpeedTestFacts {
        var test = SpeedTestFacts(server: "speed.example", at: FaultLine.now, rate: rate)
        test.expected = expected
        return test
    }

    @Test func `a test that reaches nine tenths of the link's speed is limited by it`() {
        #expect(LinkRule.isLimit(100_000_000, of: 90e6) && !LinkRule.isLimit(100_000_000, of: 89.9e6))
        #expect(!LinkRule.isLimit(nil, of: 1e9))
        func places(_ rate: Double, expected: Double? = 200e6) -> [String] {
            let line = line {
                $0.link.speed = 100_000_000
                $0.speedTest = test(rate, expected: expected)
            }
            return (LinkRule.faults(in: line.scene) + ThroughputRule.faults(in: line.scene)).places
        }
        #expect(places(90e6) == ["link"])
        #expect(places(89e6) == ["unknown"])
        // As fast as it should be, or nobody knows.
        #expect(places(90e6, expected: 100e6) == [] && places(90e6, expected: nil) == [])
        #expect(places(89e6, expected: 100e6) == ["unknown"])
    }

    @Test func `a link below what both ends offer is slow`() {
        func faults(_ speed: UInt64) -> [Fault] {
            LinkRule.faults(in: line { ($0.link.speed, $0.link.maxSpeed) = (speed, 1_000_000_000) }.scene)
        }
        #expect(faults(100_000_000).map(\.pair) == [Fault.Pair(.link, .throughput)])
        #expect(faults(100_000_000).sentences.hasPrefix("The link negotiated 100 Mbit/s; both ends offer 1000 Mbit/s"))
        #expect(faults(1_000_000_000).isEmpty)
    }

    @Test func `a weak or retrying radio, a flapping link, and frames with errors`() {
        func pairs(_ change: (inout FaultEvidence) -> Void) -> [Fault.Pair] {
            LinkRule.faults(in: line(FaultLine(), change).scene).map(\.pair)
        }
        let (slow, lossy) = (Fault.Pair(.link, .throughput), Fault.Pair(.link, .loss))
        #expect(pairs { $0.link.signal = -75 } == [slow] && pairs { $0.link.signal = -74.9 } == [])
        #expect(pairs { $0.link.retryRatio = 0.4 } == [slow] && pairs { $0.link.retryRatio = 0.39 } == [])
        #expect(pairs { $0.link.carrierChanges = 4 } == [lossy] && pairs { $0.link.carrierChanges = 3 } == [])
        #expect(pairs { $0.link.errorRatio = 0.01 } == [lossy] && pairs { $0.link.errorRatio = 0.009 } == [])
    }

    @Test func `a slow test is limited by the host, the server or a queue where it was found so`() {
        func places(_ change: (inout SpeedTestFacts) -> Void) -> [String] {
            var test = test(50e6)
            change(&test)
            let scene = line { $0.speedTest = test }.scene
            return (HostRule.faults(in: scene) + ThroughputRule.faults(in: scene)).places
        }
        #expect(places { _ in } == ["unknown"])
        #expect(places { ($0.isLimitedByProcessor, $0.isLowerBound) = (true, true) } == ["host"])
        #expect(places { $0.isLowerBound = true } == [], "processors were withheld: the line may carry more")
        #expect(places { $0.isLimitedByCrossTraffic = true } == ["host"])
        #expect(places { $0.isLimitedByServer = true } == ["destination"])
        #expect(places { $0.queue = .access } == ["access"])
        #expect(places { $0.queue = .unknown } == ["unknown"])
    }

    /// Servers that were asked in the last minute, and answered.
    private static let asked = FaultLine(probes: 60)

    @Test(arguments: [
        (6, 5, false), (6, 9, false), (6, 10, true), (2, 5, false), (2, 8, false), (2, 30, true), (60, 9, false),
    ])
    func `a name server is dead where what else is asked gets through`(oneOf: Int, losses: Int, isDead: Bool) {
        // One of so many probes to the servers is lost; 2 and 60: every second one is answered, and one of all.
        let line = FaultLine(probes: 60) { distance, number in
            guard distance == 0 else { return 10 }
            return oneOf == 60 ? (number == 0 ? 10 : nil) : number.isMultiple(of: oneOf) ? nil : 10
        }
        let scene = self.line(line) { evidence in
            var server = FaultEvidence.NameServer("192.0.2.53")
            for number in 0...losses {
                server.window.push(number == 0 ? .seconds(0.1) : nil, at: FaultLine.now - .seconds(losses - number))
            }
            evidence.nameServers = [server]
        }.scene
        #expect(DNSRule.faults(in: scene).isEmpty == !isDead)
    }

    @Test func `a name server that is dead or slow is named while the internet is reached`() {
        func faults(_ answers: [Duration?], isOnline: Bool = true, pressure: Double? = nil) -> [Fault] {
            DNSRule.faults(
                in: line(Self.asked) {
                    $0.host.processorPressure = pressure
                    var server = FaultEvidence.NameServer("192.0.2.53")
                    for (index, answer) in answers.enumerated() {
                        server.window.push(answer, at: FaultLine.now - .seconds(answers.count - index))
                    }
                    ($0.nameServers, $0.isOnline) = ([server], isOnline)
                }.scene
            )
        }
        let dead = faults([.seconds(0.1)] + Array(repeating: nil, count: 5))
        #expect(dead.map(\.pair) == [Fault.Pair(.dns, .outage)])
        #expect(dead.sentences == "192.0.2.53, a name server, does not answer: 5 questions in a row.")
        #expect(faults([.seconds(0.1)] + Array(repeating: nil, count: 4)).isEmpty)
        #expect(faults([.seconds(0.1)] + Array(repeating: nil, count: 5), isOnline: false).isEmpty)
        #expect(faults(Array(repeating: .seconds(1), count: 5)).map(\.kind) == [.latency])
        #expect(faults(Array(repeating: .seconds(0.9), count: 5)).isEmpty)
        #expect(faults(Array(repeating: .seconds(1), count: 5), pressure: 0.4).isEmpty, "this computer may be slow")
    }

    @Test func `a name server that never answered is dead only beside one that answers`() {
        func faults(_ others: [Duration?], quietSince: Int? = nil) -> [Fault] {
            let line = line(Self.asked) { evidence in
                evidence.nameServers = [Array(repeating: nil, count: 5), others].enumerated().map { index, answers in
                    var server = FaultEvidence.NameServer("192.0.2.\(53 + index)")
                    for (number, answer) in answers.enumerated() {
                        server.window.push(answer, at: FaultLine.now - .seconds(12 * (answers.count - number)))
                    }
                    return server
                }
            }
            let scene = FaultScene(line.evidence, at: line.now, quietSince: quietSince.map { line.now - .seconds($0) })
            return DNSRule.faults(in: scene)
        }
        #expect(faults([.seconds(0.1)]).map(\.pair) == [Fault.Pair(.dns, .outage)])
        #expect(faults([.seconds(0.1)]).flatMap(\.observations).count == 1)
        // Names are found all the same: over TLS, where a firewall drops what is asked here.
        #expect(faults([nil, nil, nil, nil, nil]).isEmpty && faults([]).isEmpty)
        // Four of the five losses were in an outage, or under a speed test.
        #expect(faults([.seconds(0.1)], quietSince: 24).isEmpty && faults([.seconds(0.1)], quietSince: 60).count == 1)
    }

    @Test func `one target that is down alone is the destination`() {
        func places(_ losses: [Int], othersAnswer answers: Int = 10, lose: Int = 0, isOtherFamily: Bool = false)
            -> [String]
        {
            let line = line { evidence in
                for index in losses.count..<evidence.servers.count {
                    if isOtherFamily { evidence.servers[index].family = .ipv6 }
                    let outcomes =
                        Array(repeating: Duration?.none, count: lose)
                        + Array(repeating: .milliseconds(10), count: answers)
                    for outcome in outcomes { evidence.servers[index].window.push(outcome, at: FaultLine.now) }
                }
                for (index, losses) in losses.enumerated() {
                    for number in 0..<losses {
                        evidence.servers[index].window.push(nil, at: FaultLine.now - .seconds(losses - number))
                    }
                    // It is no witness for the way.
                    if losses > 0 { evidence.servers[index].showsWay = false }
                }
            }
            return DestinationRule.faults(in: line.scene).places
        }
        #expect(places([5]) == ["destination"] && places([4]) == [])
        #expect(places([5, 5]) == [])
        // What else is asked less often has not been asked since, or is reached over another family.
        #expect(places([5], othersAnswer: 0) == [] && places([5], isOtherFamily: true) == [])
        // A line that loses most packets lets one of the others through, too.
        #expect(places([5], othersAnswer: 1, lose: 4) == [] && places([9], othersAnswer: 8) == ["destination"])
        #expect(places([5], othersAnswer: 8) == [])
    }

    @Test func `packets that vanish are the tunnel's, else unknown`() {
        #expect(PacketSizeRule.faults(in: line { $0.smallPackets = [.ipv4: 1400] }.scene).places == ["unknown"])
        let tunnel = line {
            $0.smallPackets = [.ipv4: nil]
            $0.path?.interface?.isTunnel = true
        }
        #expect(PacketSizeRule.faults(in: tunnel.scene).places == ["vpn"])
        #expect(PacketSizeRule.faults(in: FaultLine().scene).isEmpty)
    }
}
