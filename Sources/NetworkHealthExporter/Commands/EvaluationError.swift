import NetworkHealth
import Probing

/// The network could not be evaluated.
struct EvaluationError: Error, CustomStringConvertible {
    let reason: String?

    var description: String { reason ?? "the network could not be evaluated within 5 s" }
}

extension HealthState {
    /// Whether every family that the path carries has its verdict, where somebody asks for it.
    var isComplete: Bool {
        isOnline != nil && internet.map { !$0.families.values.contains(.unknown) } ?? true
    }
}
