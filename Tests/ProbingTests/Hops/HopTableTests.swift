import Posix
import Statistics
import Testing

@testable import Probing

struct HopTableTests {
    private var table = HopTable(HopConfiguration())
    private let start = ContinuousClock.now
    private static let router = SocketAddress(test: "192.0.2.1").ip
    private static let provider = SocketAddress(test: "100.64.0.1").ip
    private static let server = SocketAddress(test: "1.1.1.1").ip

    private func path(_ device: Int = 1, _ families: Set<AddressFamily> = [.ipv4]) -> InternetPath {
        InternetPath(generation: 1, isSatisfied: !families.isEmpty, families: families, interfaces: [device])
    }

    /// Finishes all probes that are due then with what `answer` says of their distance.
    private mutating func round(at second: Int, _ answer: (Int) -> HopOutcome) {
        let now = start.advanced(by: .seconds(second))
        for run in table.start(at: .seconds(second)) {
            table.finish(run, answer(run.turn.distance), sentAt: now, at: now)
        }
    }

    private static func answered(by address: IPAddress, _ milliseconds: Int?, isDestination: Bool = false) -> HopOutcome
    {
        .answered(by: address, roundTrip: milliseconds.map { .milliseconds($0) }, isDestination: isDestination)
    }

    @Test mutating func `Each hop has its addresses, its round trips and its losses`() throws {
        table.change(path(), at: .zero)
        round(at: 0) { distance in
            switch distance {
            case 1: Self.answered(by: Self.router, 3)
            case 2: .silent
            default: Self.answered(by: Self.server, 20, isDestination: true)
            }
        }
        round(at: 2) { distance in
            switch distance {
            case 1: Self.answered(by: Self.router, 2)
            case 2: Self.answered(by: Self.provider, 9)
            default: Self.answered(by: Self.server, 21, isDestination: true)
            }
        }
        let report = try #require(table.reports.first)
        #expect(report.family == .ipv4 && report.end == 3)
        #expect(report.hops.map(\.distance) == [1, 2, 3], "the way ends at the destination")
        #expect(report.hops.map(\.addresses) == [[Self.router], [Self.provider], [Self.server]])
        #expect(report.hops.map(\.probes) == [2, 2, 2] && report.hops.map(\.replies) == [2, 1, 2])
        #expect(report.hops[0].minimum == .milliseconds(2))
        #expect(report.hops[1].window.newest().list == [nil, .milliseconds(9)])
        #expect(report.hops[1].lastReplyAt == start.advanced(by: .seconds(2)))
    }

    @Test mutating func `another router behind this host's is looked for anew, and is one move when it stays`() throws {
        // `run` has it as a parameter.
        var table = table
        let start = start
        var other = Self.provider
        table.change(path(), at: .zero)
        func run(from first: Int, to last: Int, _ table: inout HopTable) -> (rounds: Int, findings: [HopTable.Finding])
        {
            var (rounds, findings) = (0, [HopTable.Finding]())
            for second in first..<last {
                let runs = table.start(at: .seconds(second))
                rounds += runs.isEmpty ? 0 : 1
                for run in runs {
                    let address = run.turn.distance == 2 ? other : Self.router
                    let outcome = Self.answered(by: address, 5)
                    let now = start.advanced(by: .seconds(second))
                    guard let finding = table.finish(run, outcome, sentAt: now, at: now) else { continue }
                    findings.append(finding)
                    if finding == .doubt { table.lookAgain(.ipv4, at: .seconds(second)) }
                }
            }
            return (rounds, findings)
        }
        var calm = run(from: 0, to: 3000, &table)
        #expect(calm.findings.isEmpty)
        other = SocketAddress(test: "100.64.9.9").ip
        calm = run(from: 3000, to: 3330, &table)
        #expect(calm.findings == [.doubt, .moved], "within five minutes and half a minute")
        #expect(calm.rounds <= 1 + HopSchedule.searchRounds)
        calm = run(from: 3330, to: 9000, &table)
        #expect(calm.findings.isEmpty)
    }

    @Test mutating func `A refused probe is no answer of its hop, and one without a round trip is no loss`() throws {
        table.change(path(), at: .zero)
        let refusal = Refusal(sender: Self.router, destination: Self.server, type: 3, code: 0, distance: 1, at: start)
        round(at: 0) { $0 == 3 ? Self.answered(by: Self.provider, nil) : .refused(refusal) }
        round(at: 2) { _ in .unsent(SystemError(call: "sendto", code: 1)) }
        let hops = try #require(table.reports.first).hops
        #expect(hops.map(\.probes) == [1, 1, 1, 1], "what was not sent is not counted")
        #expect(hops.map(\.replies) == [1, 0, 1, 0], "that the first one refused shows that it is there")
        #expect(hops.map { $0.window.newest().list } == [[], [nil], [], [nil]])
        #expect(hops.map(\.addresses) == [[Self.router], [], [Self.provider], []])
    }

    @Test mutating func `Another uplink keeps the counters alone, and late outcomes of the old one are left out`()
        throws
    {
        table.change(path(), at: .zero)
        round(at: 0) { _ in Self.answered(by: Self.router, 3) }
        let old = try #require(table.start(at: .seconds(2)).first)
        table.change(path(1, []), at: .seconds(3))
        #expect(
            table.next == nil && table.reports.first?.hops[0].addresses == [Self.router],
            "the last way is still known"
        )
        table.change(path(), at: .seconds(3))
        #expect(table.reports.first?.hops[0].addresses == [Self.router], "the same uplink is back")
        table.change(path(2), at: .seconds(3))
        table.finish(old, Self.answered(by: Self.provider, 1), sentAt: start, at: start)
        let hop = try #require(table.reports.first?.hops.first)
        #expect(hop.probes == 1 && hop.addresses.isEmpty && hop.window.count == 0 && hop.minimum == nil)
        #expect(hop.lastReplyAt == nil)
        #expect(table.next == .milliseconds(3050), "looked for anew, a second after the last probe")
    }

    @Test mutating func `A hop keeps its last four addresses, and a longer way is seen`() throws {
        table.change(path(), at: .zero)
        round(at: 0) { _ in Self.answered(by: Self.server, 5, isDestination: true) }
        #expect(table.reports.first?.hops.count == 1)
        table.change(.speedTest, at: .seconds(2))
        for second in 2..<10 {
            let address = SocketAddress(test: "198.51.100.\(second % 6)").ip
            round(at: 2 * second) { _ in Self.answered(by: address, 5) }
        }
        let report = try #require(table.reports.first)
        #expect(report.end == nil)
        #expect(report.hops[0].addresses.map { "\($0)" } == [0, 1, 2, 3].map { "198.51.100.\($0)" })
    }

    @Test mutating func `Another configuration looks for the hops anew`() {
        table.change(path(), at: .zero)
        round(at: 0) { _ in Self.answered(by: Self.router, 3) }
        table.apply(HopConfiguration(), at: .seconds(2))
        #expect(table.reports.first?.hops[0].addresses == [Self.router], "an equal one")
        var configuration = HopConfiguration()
        configuration.maxHops = 2
        configuration.destinations = [.ipv4: Self.provider]
        table.apply(configuration, at: .seconds(2))
        let runs = table.start(at: .seconds(4))
        #expect(runs.map(\.turn.distance) == [1, 2] && runs.allSatisfy { $0.destination == Self.provider })
    }
}
