import PrometheusExposition

/// The sample lines of families as `/metrics` prints them, without HELP and TYPE.
func printed(_ families: [MetricFamily]) -> [String] {
    var encoder = ExpositionEncoder()
    return String(decoding: encoder.encode(families, as: .text), as: UTF8.self)
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
}
