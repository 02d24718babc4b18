import Foundation
import NetworkHealth
import Posix
import Testing

/// The decision on simulated lines; `NHE_FAULT_SCENARIOS` is their number, `NHE_FAULT_SEED` the first seed.
struct FaultScenarioTests {
    /// Each named another place once: few losses, five in a row by chance, two delays that varied alike, a hop that leaves out probes.
    ///
    /// Three probes at the start tell less about a hop than the five of today.
    @Test func `lines that misled it do not any more`() {
        var matrix = ConfusionMatrix()
        for seed: UInt64 in [
            36_534_486_342, 36_534_492_541, 36_534_492_928, 36_534_493_756, 36_534_494_072, 36_534_494_325,
            811_151_497_635, 499_447_381_644,
        ] {
            matrix.add(seed, search: [1.05, 1.05, 1.05])
        }
        for seed: UInt64 in [15_585_051_386, 15_675_047_915, 17_180_963_487] { matrix.add(seed) }
        #expect(matrix.falseAccusations.isEmpty, "\(matrix)")
    }

    @Test func `names no place that is not broken, and most that are`() {
        func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) }
        let (count, first) = (number("NHE_FAULT_SCENARIOS") ?? 40, number("NHE_FAULT_SEED") ?? 101)
        var matrix = ConfusionMatrix()
        for seed in 0..<max(1, count) { matrix.add(first &+ seed) }
        if count > 40 { print(matrix) }
        #expect(matrix.falseAccusations.isEmpty && matrix.placedShare >= 0.9, "\(matrix)")
    }
}
