import NetworkHealth
import Posix

/// What was named, by what was broken.
struct ConfusionMatrix: CustomStringConvertible {
    private var counts: [String: [String: Int]] = [:]
    private(set) var falseAccusations: [String] = []
    private var placed = 0
    private var broken = 0

    var placedShare: Double { broken > 0 ? Double(placed) / Double(broken) : 1 }
    private static let epoch = ContinuousClock().now

    mutating func add(_ seed: UInt64, search: [Double] = LineModel.search) {
        var line = LineModel(seed: seed, epoch: Self.epoch, search: search)
        var locator = FaultLocator()
        var named: Set<FaultLocation> = []
        var last: [Fault] = []
        let truths = line.truths
        var why: String?
        line.run { evidence, now, time in
            last = locator.update(evidence, at: now)
            for fault in last where !truths.contains(fault.location) && fault.location != .unknown && why == nil {
                why = "\(fault.kind) after \(time) s: " + fault.observations.map(\.says).joined(separator: " ")
            }
            named.formUnion(last.map(\.location))
        }
        let truth = line.truth?.rawValue ?? "nothing"
        let row = "\(truth) \(line.breakage.map { "\($0.kind)" } ?? "well")"
        let wrong = named.subtracting(line.truths).subtracting([.unknown])
        if !wrong.isEmpty {
            let words = wrong.map(\.rawValue).sorted().joined(separator: ", ")
            falseAccusations.append("seed \(seed), \(line.confounder): \(words) in place of \(row): \(why ?? "")")
        }
        let verdict = wrong.first ?? line.truth.flatMap { named.contains($0) ? $0 : nil }
        let column = verdict?.rawValue ?? (named.contains(.unknown) ? "unknown" : "nothing")
        counts[row, default: [:]][column, default: 0] += 1
        guard line.truth != nil else { return }
        broken += 1
        if line.truth == verdict { placed += 1 }
    }

    var description: String {
        let rows = counts.sorted { $0.key < $1.key }.map { row, columns in
            "\(row): " + columns.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        return (["placed: \(placed) of \(broken)"] + rows + falseAccusations.prefix(20)).joined(separator: "\n")
    }
}
