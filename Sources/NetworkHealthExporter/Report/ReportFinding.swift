import NetworkHealth
import SpeedTestCore
import Statistics

/// One sentence of a report, with the number of measurements that it is of.
struct ReportFinding: Sendable, Equatable, Encodable {
    /// What it is about.
    enum Subject: String, Sendable, CaseIterable, Encodable {
        case uptime, outages, speed, plan, evening, latency, loss
    }

    /// Fewer measurements lead to no conclusion.
    enum Least {
        static let tests = 5
        /// From 20 to 23 h, and at other times.
        static let eveningTests = 10
        /// Of latency.
        static let minutes = 60
        static let eveningMinutes = 600
    }

    /// How far evenings differ at least, and the least standard score.
    enum Difference {
        static let speed = 0.2
        static let latency = 0.001
        static let score = 3.0
    }

    var what: Subject
    /// Whether it is a conclusion; else it says how many measurements are missing.
    var concluded: Bool
    var measurements: Int
    var says: String
}

extension Report {
    /// What follows from the numbers, in the order of the report.
    var findings: [ReportFinding] {
        uptimeFindings + speeds.flatMap { [finding($0)] + planFindings($0) + [eveningFinding($0)] } + latencyFindings
            + lastMileFindings
    }

    private var uptimeFindings: [ReportFinding] {
        let (observed, offline) = (ReportText.length(uptime.monitored), ReportText.length(uptime.offlineTotal))
        guard let ratio = uptime.ratio else {
            return [
                ReportFinding(
                    what: .uptime,
                    concluded: false,
                    measurements: 0,
                    says: "Nothing was observed in this period."
                )
            ]
        }
        let hours = days.isEmpty ? 0 : max(1, Int((uptime.monitored / 3600).rounded()))
        let gaps = unobserved < 1 ? "" : " \(ReportText.length(unobserved)) of the period were not observed."
        let online = ReportFinding(
            what: .uptime,
            concluded: true,
            measurements: hours,
            says:
                "Online for \(ReportText.share(ratio)) of the \(observed) that were observed, offline for \(offline).\(gaps)"
        )
        guard let longest = outages.first else {
            return [
                online,
                ReportFinding(
                    what: .outages,
                    concluded: true,
                    measurements: 0,
                    says: "No outage was observed in \(observed)."
                ),
            ]
        }
        let count = ReportText.counted(outages.count, "outage")
        return [
            online,
            ReportFinding(
                what: .outages,
                concluded: true,
                measurements: outages.count,
                says:
                    "\(count), the longest \(ReportText.length(longest.seconds)) from \(clock.text(longest.start)) (\(longest.cause), \(longest.location))."
            ),
        ]
    }

    private func finding(_ speed: Speed) -> ReportFinding {
        let count = speed.series.all?.count ?? 0
        guard let all = speed.series.all, count >= ReportFinding.Least.tests else {
            return ReportFinding(
                what: .speed,
                concluded: false,
                measurements: count,
                says:
                    "\(speed.name): nothing is concluded from \(ReportText.counted(count, "test")); \(ReportFinding.Least.tests) are needed."
            )
        }
        return ReportFinding(
            what: .speed,
            concluded: true,
            measurements: count,
            says:
                "\(speed.name): \(ReportText.rate(all.median)) in the median of \(count) tests, from \(ReportText.rate(all.lowest)) to \(ReportText.rate(all.highest))."
        )
    }

    /// How many tests reached what the contract promises; nothing from too few tests.
    private func planFindings(_ speed: Speed) -> [ReportFinding] {
        let count = speed.series.points.count
        guard count >= ReportFinding.Least.tests else { return [] }
        let short = shortfalls.filter { $0.uplink == speed.uplink && $0.direction == speed.direction }
        return reachedFindings(speed, count) + (short.isEmpty ? [] : [finding(speed, short)])
    }

    /// Where the plan was missed, as far as a second test shows.
    private func finding(_ speed: Speed, _ short: [PlanShortfall]) -> ReportFinding {
        let confirmed = Dictionary(grouping: short.filter { $0.confirmation == .confirmed }, by: \.location)
        let places = FaultLocation.allCases.compactMap { place in
            confirmed[place].map { "\($0.count) confirmed, \(place.phraseOfPlan)" }
        }
        func count(_ text: String, where isSo: (PlanShortfall) -> Bool) -> [String] {
            let count = short.count(where: isSo)
            return count == 0 ? [] : ["\(count) \(text)"]
        }
        let parts =
            places
            + count("of one server alone") { $0.confirmation == .refuted && $0.location == .destination }
            + count("where a second test reached the plan") {
                $0.confirmation == .refuted && $0.location != .destination
            }
            + count("not confirmed by a second test") { $0.confirmation == .failed }
        return ReportFinding(
            what: .plan,
            concluded: true,
            measurements: short.count,
            says:
                "\(speed.name): below the plan in \(ReportText.counted(short.count, "round")) of tests: \(parts.joined(separator: "; "))."
        )
    }

    private func reachedFindings(_ speed: Speed, _ count: Int) -> [ReportFinding] {
        SpeedPlan.Level.allCases.compactMap { level in
            guard let reached = speed.reached[level], let rate = speed.plan[level] else { return nil }
            return ReportFinding(
                what: .plan,
                concluded: true,
                measurements: count,
                says:
                    "\(speed.name): \(reached) of \(count) tests reached the plan's \(level.rawValue) speed, \(ReportText.rate(rate.bitsPerSecond))."
            )
        }
    }

    private func eveningFinding(_ speed: Speed) -> ReportFinding {
        evening(
            speed.name,
            (speed.series.evening, speed.series.otherTimes),
            (count: ReportFinding.Least.eveningTests, unit: "test"),
            ReportText.rate
        ) { evening, others in
            let isSlow =
                evening.median <= others.median * (1 - ReportFinding.Difference.speed)
                && speed.series.eveningScore <= -ReportFinding.Difference.score
            return isSlow
                ? "slower by \(ReportText.share(1 - evening.median / others.median))"
                : "not slower, as far as these tests show"
        }
    }

    private var eveningLatency: ReportFinding {
        evening(
            "Latency",
            (latency.evening, latency.otherTimes),
            (count: ReportFinding.Least.eveningMinutes, unit: "minute"),
            ReportText.milliseconds
        ) { evening, others in
            let isHigher =
                evening.median - others.median >= ReportFinding.Difference.latency
                && latency.eveningScore >= ReportFinding.Difference.score
            return isHigher ? "higher" : "not higher, as far as they show"
        }
    }

    /// Whether evenings differ from other times; nothing is concluded from fewer measurements than `least` of each.
    private func evening(
        _ name: String,
        _ samples: (evening: ReportSample?, others: ReportSample?),
        _ least: (count: Int, unit: String),
        _ text: (Double) -> String,
        verdict: (_ evening: ReportSample, _ others: ReportSample) -> String
    ) -> ReportFinding {
        let subject = "\(name), evenings (20 to 23 h)"
        let counts = (samples.evening?.count ?? 0, samples.others?.count ?? 0)
        guard let evening = samples.evening, let others = samples.others, counts.0 >= least.count,
            counts.1 >= least.count
        else {
            return ReportFinding(
                what: .evening,
                concluded: false,
                measurements: counts.0 + counts.1,
                says:
                    "\(subject): nothing is concluded from \(ReportText.counted(counts.0, least.unit)) then and \(counts.1) at other times; \(least.count) each are needed."
            )
        }
        let medians =
            "\(text(evening.median)) in the median of \(ReportText.counted(counts.0, least.unit)), \(text(others.median)) of \(counts.1) at other times"
        return ReportFinding(
            what: .evening,
            concluded: true,
            measurements: counts.0 + counts.1,
            says: "\(subject): \(verdict(evening, others)): \(medians)."
        )
    }

    private var latencyFindings: [ReportFinding] {
        let minutes = latency.all?.count ?? 0
        guard let all = latency.all, minutes >= ReportFinding.Least.minutes else {
            let says =
                "Latency: nothing is concluded from \(ReportText.counted(minutes, "minute")); \(ReportFinding.Least.minutes) are needed."
            return [ReportFinding(what: .latency, concluded: false, measurements: minutes, says: says)]
        }
        var findings = [
            ReportFinding(
                what: .latency,
                concluded: true,
                measurements: minutes,
                says: "Latency: \(ReportText.milliseconds(all.median)) in the median of \(minutes) minutes."
            ),
            eveningLatency,
        ]
        if let loss = loss.all, loss.minutes >= ReportFinding.Least.minutes {
            let says =
                "Loss: \(ReportText.share(loss.ratio)) of the packets in \(loss.minutes) minutes, outages left out."
            findings.append(ReportFinding(what: .loss, concluded: true, measurements: loss.minutes, says: says))
        }
        return findings
    }
}

extension FaultLocation {
    /// Where packets waited in all tests of a round.
    fileprivate var phraseOfPlan: String {
        switch self {
        case .access: "in the access"
        case .provider: "at the provider"
        case .unknown: "place not known"
        default: "at the place \(rawValue)"
        }
    }
}
