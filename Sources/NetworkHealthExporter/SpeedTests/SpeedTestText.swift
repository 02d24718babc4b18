import SpeedTestCore
import Statistics

/// A test as text for the terminal.
enum SpeedTestText {
    static func text(_ report: SpeedTestReport) -> String {
        var lines: [String] = []
        func line(_ name: String, _ value: String) {
            lines.append("\(name):" + String(repeating: " ", count: max(1, 11 - name.count)) + value)
        }
        line("Server", "\(report.server) (\(report.protocol.rawValue), \(report.host))")
        line("Latency", report.ping.map { "\(time($0.latency)), jitter \(time($0.jitter))" } ?? unknown)
        for direction in Direction.allCases {
            let name = direction == .download ? "Download" : "Upload"
            line(name, report[direction].map(text) ?? unknown)
        }
        if let failure = report.failure { line("Error", failure.message) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// For example `94.31 Mbit/s`.
    static func rate(_ rate: BitRate) -> String { "\(rounded(rate.megabits)) Mbit/s" }

    /// For example `about 9 GB a month at this line's speed`.
    static func perMonth(_ bytes: UInt64) -> String { "about \(size(bytes)) a month at this line's speed" }

    /// In the largest decimal unit of which there is at least one, rounded to a whole number: `500 MB`.
    static func size(_ bytes: UInt64) -> String {
        let units: [(name: String, size: UInt64)] = [
            ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("B", 1),
        ]
        guard let unit = units.first(where: { bytes >= $0.size }) else { return "0 B" }
        let (whole, rest) = bytes.quotientAndRemainder(dividingBy: unit.size)
        return "\(rest * 2 >= unit.size ? whole + 1 : whole) \(unit.name)"
    }

    /// For example `30 s` or `12 min`.
    static func delay(_ seconds: Double) -> String {
        let seconds = Int(min(max(seconds, 0), 1e9).rounded())
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7200 ? "\((seconds + 30) / 60) min" : "\((seconds + 1800) / 3600) h"
    }

    private static let unknown = "not measured"

    private static func text(_ transfer: DirectionReport) -> String {
        var remarks: [String] = []
        if let latency = transfer.loadedLatency { remarks.append("latency \(time(latency)) under load") }
        if let rpm = transfer.responsiveness { remarks.append("\(rounded(rpm, digits: 0)) RPM") }
        if let name = transfer.congestionControl { remarks.append(name) }
        if !transfer.isStable {
            remarks.append(transfer.uncertainty.map { "uncertain by \(percent($0))" } ?? "uncertain")
        }
        if transfer.exceedsDevice { remarks.append("more than the device received") }
        if !transfer.limits.isEmpty {
            remarks.append("limited by \(transfer.limitNames.joined(separator: ", "))")
        }
        let rate = rate(transfer.rate)
        return remarks.isEmpty ? rate : "\(rate) (\(remarks.joined(separator: ", ")))"
    }

    /// For example `4 %`, rounded up: it is a bound.
    private static func percent(_ share: Double) -> String {
        "\(rounded((min(max(share, 0), 10) * 100).rounded(.up), digits: 0)) %"
    }

    private static func time(_ time: Duration) -> String { "\(rounded(time.seconds * 1000)) ms" }

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
