import FoundationEssentials
import SpeedTestCore
import Statistics

extension Report {
    /// What follows a test so soon belongs to its round over the servers, or is its retest.
    private static let roundGap = 120.0

    /// The tests of each round, in ascending time; a round has a test of each server, and one retest.
    static func rounds(_ tests: [SpeedTestReport]) -> [[SpeedTestReport]] {
        tests.reduce(into: []) { rounds, test in
            let round = rounds.last ?? []
            let pause = round.last.map { test.startedAt.timeIntervalSince($0.endedAt) }
            let isNext =
                pause.map { $0 <= roundGap } ?? false && round.last?.uplink == test.uplink
                && round.count { $0.server == test.server } < 2
            if isNext { rounds[rounds.count - 1].append(test) } else { rounds.append([test]) }
        }
    }

    /// What the tests of each server over each uplink were measured over, a line for each.
    var conditions: [String] {
        let groups = Dictionary(grouping: tests) { "\($0.server) over \($0.uplinkLabel)" }
        return groups.sorted { $0.key < $1.key }.map { name, tests in
            func count(_ text: String, where isSo: (SpeedTestReport) -> Bool) -> String? {
                let count = tests.count(where: isSo)
                return count == 0 ? nil : "\(count) \(text)"
            }
            func transfers(_ isSo: @escaping (DirectionReport) -> Bool) -> (SpeedTestReport) -> Bool {
                { test in Direction.allCases.contains { test[$0].map(isSo) ?? false } }
            }
            var parts = [ReportText.counted(tests.count, "test")]
            parts += [count("failed") { $0.failure != nil }].compactMap(\.self)
            let links = Dictionary(grouping: tests.compactMap(\.link)) { link in
                link.type + (link.speedMbps.map { " at \(ReportText.rate($0 * 1e6))" } ?? "")
            }
            parts += links.sorted { $0.key < $1.key }.map { "\($0.value.count) by \($0.key)" }
            for limit in DirectionReport.Limit.allCases {
                parts += [count("limited by \(limit.rawValue)", where: transfers { $0.limits.contains(limit) })]
                    .compactMap(\.self)
            }
            for place in QueueLocation.allCases {
                let name =
                    switch place {
                    case .nowhere: "without waiting packets"
                    case .unknown: "with packets waiting at an unknown place"
                    case .link, .access, .provider: "with packets waiting at \(place.rawValue)"
                    }
                parts += [count(name, where: transfers { $0.queue == place })]
                    .compactMap(\.self)
            }
            let others = tests.flatMap { test in Direction.allCases.compactMap { test[$0]?.otherTraffic } }
            if let most = others.map(\.bitsPerSecond).max() {
                parts.append("other traffic of this host at most \(ReportText.rate(most))")
            }
            return "\(name): \(parts.joined(separator: ", "))"
        }
    }
}
