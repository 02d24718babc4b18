import FoundationEssentials
import Statistics
import Testing

@testable import Probing

/// When the built-in target is probed, listed and judged.
struct GatewayWatchTests {
    private static let path = path(over: "192.0.2.1")

    private static func path(over router: String) -> ProbeContext {
        ProbeContext(gateways: [router].compactMap { ProbeContext.Gateway($0) })
    }

    /// A table on a path, with the built-in target after a configured one.
    private static func table(_ context: ProbeContext = path, isAutomatic: Bool = true) -> TargetTable {
        var table = TargetTable()
        let gateway = Target.gateway(every: .seconds(10), isAutomatic: isAutomatic)
        table.apply([.make("a", every: .seconds(3600)), gateway], onExpensive: .slow, at: .zero)
        table.change(context, isNewUplink: false, at: .zero)
        return table
    }

    /// Lets the built-in target's turn until that second end with this result.
    @discardableResult
    private static func turn(_ table: inout TargetTable, at second: Int, _ result: ProbeResult) throws
        -> TargetStatistics.Change?
    {
        let runs = table.start(at: .seconds(second))
        let run = try #require(runs.first { $0.target.name == Target.gatewayName })
        return table.finish(run, result, startDelay: .zero, date: .now, at: .now)
    }

    private static func timeout(isNeighbour: Bool) -> ProbeResult {
        var result = ProbeResult(failure: .timeout)
        result.isNeighbour = isNeighbour
        return result
    }

    private static var notPermitted: ProbeResult {
        var result = ProbeResult()
        result.inconclusive = .notPermitted
        return result
    }

    private static func probed(_ table: inout TargetTable) -> Bool {
        table.start(at: .seconds(100)).contains { $0.target.name == Target.gatewayName }
    }

    private static var container: ProbeContext {
        var context = path
        context.isContainer = true
        return context
    }

    private static var tunnel: ProbeContext {
        var context = path
        context.isPointToPoint = true
        return context
    }

    @Test func `it is listed from its first result on, after the configured targets`() throws {
        var table = Self.table()
        #expect(table.reports.map(\.target.name) == ["a"])
        #expect(table.report(named: "gateway") == nil)
        #expect(try Self.turn(&table, at: 5, .success(1, rtt: 1)) == .upOrDown)
        #expect(table.reports.map(\.target.name) == ["a", "gateway"])
        #expect(table.report(named: "gateway")?.statistics.isUp == true)
    }

    @Test(arguments: [ProbeContext(), container, tunnel])
    func `without a router, in a container and on a point-to-point link it is neither probed nor listed`(
        context: ProbeContext
    ) throws {
        var table = Self.table(context)
        #expect(!Self.probed(&table))
        var watched = Self.table()
        try Self.turn(&watched, at: 5, .success(1, rtt: 1))
        watched.change(context, isNewUplink: false, at: .seconds(6))
        #expect(!Self.probed(&watched))
        #expect(watched.reports.map(\.target.name) == ["a"])
        #expect(watched.report(named: "gateway") == nil)
    }

    @Test(arguments: [container, tunnel])
    func `enabled it is probed wherever there is a router`(context: ProbeContext) {
        var table = Self.table(context, isAutomatic: false)
        #expect(Self.probed(&table))
        var pathless = Self.table(ProbeContext(), isAutomatic: false)
        #expect(!Self.probed(&pathless))
    }

    @Test func `the counters continue when the path comes back, and the state is that of the first probe there`()
        throws
    {
        var table = Self.table()
        try Self.turn(&table, at: 5, .success(1, rtt: 1))
        let late = try #require(table.start(at: .seconds(15)).first)
        table.change(ProbeContext(isConnected: false), isNewUplink: false, at: .seconds(16))
        #expect(table.finish(late, Self.timeout(isNeighbour: false), startDelay: .zero, date: .now, at: .now) == nil)
        table.change(Self.path, isNewUplink: false, at: .seconds(20))
        #expect(table.report(named: "gateway") == nil)
        try Self.turn(&table, at: 30, ProbeResult(failure: .timeout))
        let statistics = try #require(table.report(named: "gateway")).statistics
        #expect(statistics.probes == 2 && statistics.failures == [.timeout: 1] && statistics.isUp == false)
        #expect(statistics.window.count == 1)
    }

    @Test func `what is known of a router is not held against the router of another uplink that has the same address`()
        throws
    {
        var table = Self.table()
        let silent = Self.timeout(isNeighbour: false)
        for second in [5, 15, 25] { try Self.turn(&table, at: second, silent) }
        let before = try #require(table.report(named: "gateway")).statistics
        #expect(before.failuresInARow == 3 && before.isNeighbour == false)
        let late = try #require(table.start(at: .seconds(35)).first)
        table.change(Self.path, isNewUplink: true, at: .seconds(36))
        _ = table.finish(late, silent, startDelay: .zero, date: .now, at: .now)
        let after = try #require(table.report(named: "gateway")).statistics
        #expect(after.failuresInARow == 0 && after.isNeighbour == nil)
        try Self.turn(&table, at: 45, silent)
        let own = try #require(table.report(named: "gateway")).statistics
        #expect(own.failuresInARow == 1 && own.isNeighbour == false)
    }

    @Test func `nor does an answer over another uplink make a router that drops pings one that is down`() throws {
        var table = Self.table()
        try Self.turn(&table, at: 5, .success(1, rtt: 1))
        let late = try #require(table.start(at: .seconds(15)).first)
        table.change(Self.path, isNewUplink: true, at: .seconds(16))
        let change = table.finish(late, Self.timeout(isNeighbour: false), startDelay: .zero, date: .now, at: .now)
        #expect(change == nil && table.report(named: "gateway")?.statistics.isUp == true)
        #expect(try Self.turn(&table, at: 25, Self.timeout(isNeighbour: true)) == .inconclusive(.silent))
    }

    @Test func `it is probed at once when its route is forbidden or restored, and when there is another router`() throws
    {
        func isDue(_ table: inout TargetTable, at milliseconds: Int) -> Bool {
            table.start(at: .milliseconds(milliseconds)).contains { $0.target.name == Target.gatewayName }
        }
        var table = Self.table()
        #expect(isDue(&table, at: 0), "the first path")
        #expect(!isDue(&table, at: 9999) && isDue(&table, at: 10_000))
        var forbidden = Self.path
        forbidden.isConnected = false
        for (second, context) in [(11, forbidden), (12, Self.path), (13, Self.path(over: "192.0.2.9"))] {
            table.change(context, isNewUplink: false, at: .seconds(second))
            #expect(isDue(&table, at: second * 1000), "\(second)")
            // Nothing that concerns the router has changed.
            table.change(context, isNewUplink: false, at: .milliseconds(second * 1000 + 500))
            #expect(!isDue(&table, at: second * 1000 + 999))
        }
        table.change(ProbeContext(isConnected: false), isNewUplink: false, at: .seconds(14))
        #expect(!isDue(&table, at: 15_000))
        table.change(Self.path, isNewUplink: false, at: .seconds(16))
        #expect(isDue(&table, at: 16_000), "not after its place among many targets")
        #expect(!isDue(&table, at: 25_999) && isDue(&table, at: 26_000))
    }

    @Test func `a router that never answered, but answers the kernel, is neither up nor down`() throws {
        var table = Self.table()
        let silent = Self.timeout(isNeighbour: true)
        #expect(try Self.turn(&table, at: 5, silent) == .inconclusive(.silent))
        #expect(try Self.turn(&table, at: 15, silent) == nil)
        let statistics = try #require(table.report(named: "gateway")).statistics
        #expect(statistics.isUp == nil && statistics.failures.isEmpty && statistics.probes == 0)
        #expect(statistics.window.count == 0 && statistics.inconclusive == .silent)
        // A router that does not even answer the kernel is down.
        #expect(try Self.turn(&table, at: 25, Self.timeout(isNeighbour: false)) == .upOrDown)
        #expect(table.report(named: "gateway")?.statistics.isUp == false)
        #expect(try Self.turn(&table, at: 35, silent) == .inconclusive(.silent))
        #expect(table.report(named: "gateway")?.statistics.isUp == nil)
        // Of another router nothing is known, and its silence is reported, too.
        table.change(Self.path(over: "198.51.100.1"), isNewUplink: true, at: .seconds(36))
        #expect(table.report(named: "gateway") == nil)
        #expect(try Self.turn(&table, at: 36, silent) == .inconclusive(.silent))
    }

    @Test func `a router that has answered on this path is down when it stops`() throws {
        var table = Self.table()
        let silent = Self.timeout(isNeighbour: true)
        try Self.turn(&table, at: 5, silent)
        #expect(try Self.turn(&table, at: 15, .success(1, rtt: 1)) == .upOrDown)
        #expect(try Self.turn(&table, at: 25, silent) == .upOrDown)
        #expect(table.report(named: "gateway")?.statistics.failures == [.timeout: 1])
        // Another router may drop what this one answered.
        table.change(Self.path(over: "198.51.100.1"), isNewUplink: true, at: .seconds(26))
        #expect(try Self.turn(&table, at: 40, silent) == .inconclusive(.silent))
        #expect(table.report(named: "gateway")?.statistics.isUp == nil)
    }

    @Test func `where ICMP is not permitted it is not listed, which is reported once`() throws {
        var table = Self.table()
        #expect(try Self.turn(&table, at: 5, Self.notPermitted) == .inconclusive(.notPermitted))
        #expect(try Self.turn(&table, at: 15, Self.notPermitted) == nil)
        table.change(ProbeContext(), isNewUplink: false, at: .seconds(16))
        table.change(Self.path, isNewUplink: false, at: .seconds(17))
        #expect(try Self.turn(&table, at: 30, Self.notPermitted) == nil)
        #expect(table.reports.map(\.target.name) == ["a"])
        #expect(try Self.turn(&table, at: 40, .success(1, rtt: 1)) == .upOrDown)
        #expect(table.reports.map(\.target.name) == ["a", "gateway"])
    }

    @Test func `it is no part of the latency of the network`() throws {
        var table = Self.table()
        try Self.turn(&table, at: 5, .success(1, rtt: 1))
        #expect(LatencySources(targets: table.reports).latency(at: .now) == nil)
    }
}
