/// What a test does on a path that costs.
package enum SpeedTestCostRule: String, Sendable, CaseIterable {
    case skip
    case latencyOnly = "latency_only"
    case run
}
