import SpeedTestCore

/// A test's result for people.
enum SpeedTestText {
    static func text(_ document: SpeedTestDocument) -> String {
        var lines: [String] = []
        func line(_ name: String, _ value: String) {
            lines.append("\(name):" + String(repeating: " ", count: max(1, 11 - name.count)) + value)
        }
        line("Server", "\(document.server) (\(document.protocol.rawValue), \(document.host))")
        line("Latency", document.ping.map { "\(time($0.latencySeconds)), jitter \(time($0.jitterSeconds))" } ?? unknown)
        for direction in Direction.allCases {
            let name = direction == .download ? "Download" : "Upload"
            line(name, document[direction].map(text) ?? unknown)
        }
        if let error = document.error { line("Error", error) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// For example `94.31 Mbit/s`.
    static func rate(_ bytesPerSecond: Double) -> String { "\(rounded(bytesPerSecond * 8 / 1e6)) Mbit/s" }

    private static let unknown = "not measured"

    private static func text(_ transfer: SpeedTestDocument.Transfer) -> String {
        var remarks: [String] = []
        if let latency = transfer.loadedLatencySeconds { remarks.append("latency \(time(latency)) under load") }
        if let rpm = transfer.responsivenessRpm { remarks.append("\(rounded(rpm, digits: 0)) RPM") }
        if let name = transfer.congestionControl { remarks.append(name) }
        if !transfer.stable { remarks.append("not stable") }
        if !transfer.limitedBy.isEmpty {
            remarks.append("limited by \(transfer.limitedBy.map(\.rawValue).joined(separator: ", "))")
        }
        let rate = rate(transfer.bytesPerSecond)
        return remarks.isEmpty ? rate : "\(rate) (\(remarks.joined(separator: ", ")))"
    }

    private static func time(_ seconds: Double) -> String { "\(rounded(seconds * 1000)) ms" }

    /// With a fixed number of decimals; FoundationEssentials has no format strings.
    static func rounded(_ value: Double, digits: Int = 2) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
        let scale = digits == 0 ? 1.0 : 100.0
        let number = Int64((value.magnitude * scale).rounded())
        let sign = value < 0 && number > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(number)" }
        let fraction = number % 100
        return "\(sign)\(number / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
