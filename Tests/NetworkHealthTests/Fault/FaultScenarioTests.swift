import Foundation
import NetworkHealth
import Posix
import Testing

/// The decision on simulated lines; `NHE_FAULT_SCENARIOS` is their number, `NHE_FAULT_SEED` the first seed.
struct FaultScenarioTests {
    @Test func `names no place that is not broken, and most that are`() {
        func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) }
        let (count, first) = (number("NHE_FAULT_SCENARIOS") ?? 40, number("NHE_FAULT_SEED") ?? 1)
        var matrix = ConfusionMatrix()
        for seed in 0..<max(1, count) { matrix.add(first &+ seed) }
        if count > 40 { print(matrix) }
        #expect(matrix.falseAccusations.isEmpty && matrix.placedShare >= 0.9, "\(matrix)")
    }
}
