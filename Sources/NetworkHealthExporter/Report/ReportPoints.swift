import Statistics

/// The latency and the loss of each point on the way, and how they follow the day.
struct ReportPoints: Sendable {
    struct Point: Sendable {
        var name: String
        var probes: Int
        /// Of the medians of half hours, in seconds; nil where none was answered.
        var latency: ReportSample?
        /// The share of the probes without an answer.
        var loss: Double

        /// Where there is no room for all: the router, the targets, and the routers by their distance.
        var rank: Int {
            guard name != PointWindow.router else { return 0 }
            let words = name.split(separator: " ")
            let distance = words.count == 3 && words[0] == "hop" ? UInt8(words[1]) : nil
            return distance.map { 1 + Int($0) } ?? 1
        }
    }

    /// The part of the way between the first two routers of a family.
    struct LastMile: Sendable {
        var family: String
        /// nil where too little is known.
        var pattern: DailyPattern?
    }

    let points: [Point]
    let lastMiles: [LastMile]

    init(_ rows: [PointRow]) {
        let groups = Dictionary(grouping: rows, by: \.point)
        points = groups.sorted { $0.key < $1.key }.map { name, rows in
            let (lost, probes) = rows.reduce((0, 0)) { ($0.0 + $1.lost, $0.1 + $1.probes) }
            let medians = rows.compactMap { row in
                row.median.map { ReportSample.Value(value: $0, count: row.probes - row.lost) }
            }
            return Point(
                name: name,
                probes: probes,
                latency: ReportSample(medians),
                loss: probes > 0 ? Double(lost) / Double(probes) : 0
            )
        }
        lastMiles = ["ipv4", "ipv6"].compactMap { family in
            guard let near = groups["hop 1 \(family)"], let far = groups["hop 2 \(family)"] else { return nil }
            let nearest = Dictionary(near.map { ($0.at, $0.median) }) { first, _ in first }
            let differences = far.compactMap { row -> (at: Double, value: Double)? in
                guard let median = row.median, let before = nearest[row.at] ?? nil else { return nil }
                return (row.at, median - before)
            }
            return LastMile(family: family, pattern: DailyPattern(differences))
        }
    }
}

extension Report {
    /// Whether the way from the first to the second router is slower at the same hours of each day.
    var lastMileFindings: [ReportFinding] {
        points.lastMiles.map { mile in
            let name = "From the first to the second router (\(mile.family))"
            guard let pattern = mile.pattern else {
                return ReportFinding(
                    what: .evening,
                    concluded: false,
                    measurements: 0,
                    says:
                        "\(name): nothing is concluded; two periods of four days are needed, with three quarters of each observed."
                )
            }
            let peak = ReportClock.padded(clock.hour((period.since / 86_400).rounded(.down) * 86_400 + pattern.peak))
            let amplitude = ReportText.milliseconds(pattern.amplitude)
            let says =
                switch pattern.severity {
                case nil:
                    "no daily rhythm stands out; \(amplitude) repeat each day, and the delay changes more over other periods"
                case .some(.none):
                    "the delay does not follow the day by more than 0.5 ms, as far as these half hours show"
                case let severity?:
                    "the delay follows the day by \(amplitude) (\(severity.rawValue)), highest at about \(peak) h"
                }
            return ReportFinding(
                what: .evening,
                concluded: true,
                measurements: pattern.measurements,
                says: "\(name): \(says): \(pattern.measurements) half hours."
            )
        }
    }
}
