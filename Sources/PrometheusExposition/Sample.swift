/// One series of a gauge, counter or unknown family: its labels and its value.
public struct Sample: Sendable, Hashable {
    /// What tells this series from the family's others.
    public var labels: Labels
    /// The number.
    public var value: MetricValue

    /// One series, as in `Sample(labels: ["device": "eth0"], 12)`.
    public init(labels: Labels = [:], _ value: some MetricValueConvertible) {
        self.labels = labels
        self.value = value.metricValue
    }

    /// One series for each state, 1 for the active one and 0 for the others; all 0 when none is active.
    ///
    /// `labels` come before the state's label, for families that hold several state sets.
    public static func stateSet(
        labels: Labels = [:],
        label: String,
        states: some Sequence<String>,
        active: String?
    ) -> [Sample] {
        states.map { state in
            var all = labels
            all.append(label, state)
            return Sample(labels: all, state == active)
        }
    }

    /// One series for each case of an enumeration, 1 for the active one and 0 for the others.
    public static func stateSet<State>(labels: Labels = [:], label: String, active: State?) -> [Sample]
    where State: CaseIterable & RawRepresentable, State.RawValue == String {
        stateSet(labels: labels, label: label, states: State.allCases.map(\.rawValue), active: active?.rawValue)
    }
}
