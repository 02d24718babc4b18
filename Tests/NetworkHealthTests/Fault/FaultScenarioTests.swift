import Foundation
import NetworkHealth
import Posix
import Testing

/// The decision on simulated lines; `NHE_FAULT_SCENARIOS` is their number.
struct FaultScenarioTests {
    @Test func `names no place that is not broken, and most that are`() {
        let count = ProcessInfo.processInfo.environment["NHE_FAULT_SCENARIOS"].flatMap(Int.init) ?? 40
        var matrix = ConfusionMatrix()
        for seed in 1...UInt64(max(1, count)) { matrix.add(seed) }
        #expect(matrix.falseAccusations.isEmpty && matrix.placedShare >= 0.9, "\(matrix)")
    }
}
