import Glibc
import Lab
import SpeedTestCore
import Statistics
import Testing

/// A failed transfer never becomes a number, however early the byte limit ends the load.
@Suite(.timeLimit(.minutes(10)))
struct BrokenLoadTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var broken: BrokenLoad
        var direction: Direction
        var budget: UInt64

        var testDescription: String { "\(broken) \(direction) \(budget / 1_000_000) MB" }
    }

    /// `NHE_BROKEN_LOAD_RUNS` asks for the long form: so many runs of each, and budgets of up to 1 GB.
    private static let runs = getenv("NHE_BROKEN_LOAD_RUNS").flatMap { Int(String(cString: $0)) }

    private static let cases: [Case] = BrokenLoad.allCases.flatMap { broken in
        broken.directions.flatMap { direction in
            (runs == nil ? [10_000_000] : [10_000_000, 50_000_000, 250_000_000, 1_000_000_000]).map {
                Case(broken: broken, direction: direction, budget: $0)
            }
        }
    }

    @Test(arguments: cases)
    func `a server that breaks every body is a failure with its reason`(found: Case) async throws {
        for _ in 0..<(Self.runs ?? 1) {
            // The byte limit lasts for a second.
            let server = try BrokenLoadServer(found.broken, rate: Double(found.budget))
            defer { server.close() }
            let report = await runTest(server.url) { options in
                options.directions = [found.direction]
                options.byteLimit = [found.direction: found.budget]
                options.idleSamples = 1
                options.directionWall = .seconds(18)
            }
            #expect(report[found.direction] == nil, "\(report)")
            #expect(report.failure?.reason == found.broken.reason, "\(found): \(report)")
            #expect(report.traffic.total < found.budget + found.budget / 20 + 1_000_000)
        }
    }
}
