@testable import Probing

extension TargetTable {
    /// A table with these targets from 0 s on, on a path.
    static func make(_ targets: [Target], onExpensive: CostRule = .slow) -> TargetTable {
        var table = TargetTable()
        table.apply(targets, onExpensive: onExpensive, at: .zero)
        table.change(ProbeContext(), isNewUplink: false, at: .zero)
        return table
    }
}
