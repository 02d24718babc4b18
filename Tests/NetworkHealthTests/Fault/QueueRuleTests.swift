import NetworkPath
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealth

/// Where packets waited under a load of eight seconds, in which each point is probed once a second.
struct QueueRuleTests {
    private static let load = FaultLine.now - .seconds(8)..<FaultLine.now

    // Rises are milliseconds above the best, of the three hops and of the servers, nil without an answer; `rise` is that of the
    // test itself.
    private static func location(
        _ rises: [Double?],
        servers: Double?,
        probes: Int = 8,
        rise: Int? = nil,
        _ change: (inout FaultEvidence) -> Void = { _ in }
    ) -> QueueLocation? {
        var line = FaultLine(["192.168.1.1", "198.51.100.1", "198.51.100.9"])
        func push(_ rise: Double?, _ window: inout OutcomeWindow) {
            for number in 0..<probes {
                let value = rise.map { Duration.microseconds(Int64(($0 + 10) * 1000)) }
                window.push(value, at: FaultLine.now - .seconds(probes - number))
            }
        }
        for (index, rise) in rises.enumerated() { push(rise, &line.evidence.hops[0].hops[index].window) }
        for index in line.evidence.servers.indices { push(servers, &line.evidence.servers[index].window) }
        change(&line.evidence)
        return QueueRule.location(line.evidence, under: load, rise: rise.map { .milliseconds($0) })
    }

    private static let cases: [([Double?], Double, QueueLocation)] = [
        ([0, 0, 0], 0, .nowhere), ([80, 78, 81], 80, .link), ([0, 80, 79], 80, .access),
        ([0, 0, 80], 82, .provider), ([0, 0, 4], 4, .nowhere),
        // A router that is slow itself, or answers late, does not explain what comes behind it.
        ([60, 0, 0], 0, .nowhere), ([60, 0, 80], 80, .provider), ([8, 80, 80], 80, .access),
        // Behind all routers that are seen, and in two places at once.
        ([0, 0, 0], 80, .unknown), ([0, 40, 80], 80, .unknown),
    ]

    @Test(arguments: cases)
    func `the first point from which on all is delayed ends the stretch`(
        rises: [Double?],
        servers: Double,
        expected: QueueLocation
    ) {
        #expect(Self.location(rises, servers: servers) == expected)
    }

    @Test func `the nearer hop that answers and the next one that does have to leave one place`() {
        #expect(Self.location([nil, 80, 80], servers: 80) == .unknown, "the link, or the access")
        #expect(Self.location([0, nil, 80], servers: 80) == .unknown, "the access, or the provider")
        #expect(Self.location([0, 80, nil], servers: 80) == .access)
    }

    @Test func `without answers of the servers the rise of the test itself is the end`() {
        #expect(Self.location([0, 80, 79], servers: nil, rise: 75) == .access)
        #expect(Self.location([0, 0, 0], servers: nil, rise: 2) == .nowhere)
        #expect(Self.location([0, 80, 79], servers: nil) == nil)
        // The servers are reached without a queue, the test's server is not.
        #expect(Self.location([0, 0, 0], servers: 0, rise: 51) == .unknown)
        #expect(Self.location([0, 0, 0], servers: 0, rise: 49) == .nowhere)
    }

    @Test func `where the way was not probed nothing is known`() {
        #expect(Self.location([0, 80, 80], servers: 80, probes: 2) == nil)
        #expect(Self.location([], servers: 80) == nil)
        #expect(Self.location([0, 80, 80], servers: 80) { $0.hops = [] } == nil)
        let instant = FaultLine.now
        let short = QueueRule.location(FaultLine().evidence, under: instant - .seconds(1)..<instant, rise: nil)
        #expect(short == nil)
    }

    @Test func `the first second of a load does not count`() {
        let line = FaultLine(probes: 8) { hop, _ in hop == 1 ? 10 : 90 }
        func location(seconds: Int) -> QueueLocation? {
            let load = FaultLine.now - .seconds(seconds)..<FaultLine.now
            return QueueRule.location(line.evidence, under: load, rise: .milliseconds(80))
        }
        #expect(location(seconds: 4) == .access && location(seconds: 3) == nil)
    }

    @Test func `what was measured after the load does not count`() {
        let found = Self.location([0, 0, 0], servers: 0) { evidence in
            for index in evidence.hops[0].hops.indices.dropFirst() {
                for second in 0..<30 {
                    evidence.hops[0].hops[index].window.push(.seconds(1), at: FaultLine.now + .seconds(second))
                }
            }
            for index in evidence.servers.indices {
                for second in 0..<30 {
                    evidence.servers[index].window.push(.seconds(1), at: FaultLine.now + .seconds(second))
                }
            }
        }
        #expect(found == .nowhere)
    }

    @Test func `over two families the one that passes the queue decides, and two places are none`() {
        func both(_ other: [Double]) -> QueueLocation? {
            Self.location([0, 80, 80], servers: 80) { evidence in
                var second = HopReport(family: .ipv6)
                for (index, text) in ["fe80::1", "2001:db8:1::1", "2001:db8:2::1"].enumerated() {
                    var hop = HopReport.Hop(distance: index + 1)
                    hop.addresses = [IPAddress(text)].compactMap(\.self)
                    hop.minimum = .milliseconds(10)
                    for number in 0..<8 {
                        let value = Duration.milliseconds(10) + .milliseconds(Int(other[index]))
                        hop.window.push(value, at: FaultLine.now - .seconds(8 - number))
                    }
                    second.hops.append(hop)
                }
                evidence.hops.append(second)
                evidence.ownAddresses = [IPAddress("2001:db8:ffff::1")].compactMap(\.self)
                var server = FaultEvidence.Server("six", .ipv6)
                server.minimum = .milliseconds(10)
                for number in 0..<8 {
                    let value = Duration.milliseconds(10) + .milliseconds(Int(other[2]))
                    server.window.push(value, at: FaultLine.now - .seconds(8 - number))
                }
                evidence.servers.append(server)
            }
        }
        #expect(both([0, 0, 0]) == .access && both([0, 80, 80]) == .access && both([80, 80, 80]) == .unknown)
    }
}
