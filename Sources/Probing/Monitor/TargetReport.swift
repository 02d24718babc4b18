/// A target and what is known of it.
package struct TargetReport: Sendable, Equatable {
    package let target: Target
    package var statistics: TargetStatistics

    package init(_ target: Target) {
        self.target = target
        statistics = TargetStatistics(module: target.module)
    }
}
