import Coordination
import MicroHTTP
import PrometheusExposition

/// One pass over the collectors, by their pace and in declaration order; one that fails is reported and does not fail the others.
struct Scrape: Sendable {
    private let collectors: [Collector]
    private let pages: Locked<[ExpositionFormat: Page]>

    init(collectors: [Collector]) {
        self.collectors = Collector.Pace.allCases.flatMap { pace in collectors.filter { $0.pace == pace } }
        pages = Locked([:])
    }

    /// Everything, as the parts of an exposition; a part that has not changed is the one of the last scrape.
    func exposition(as format: ExpositionFormat) -> [BodyPart] {
        pages.withLock { $0[format, default: Page(format)].update(collectors) }
    }

    /// Everything, as values.
    func families() -> [MetricFamily] {
        var report = ScrapeReport(count: collectors.count)
        var families = Collector.Pace.allCases.map { _ in [MetricFamily]() }
        for collector in collectors {
            families[collector.pace.rawValue] += report.time { try collector.families() } ?? []
        }
        families[Collector.Pace.steady.rawValue].append(report.successes(of: collectors))
        families[Collector.Pace.moving.rawValue].append(report.durations(of: collectors))
        return families.flatMap(\.self)
    }

    /// The text of the last scrape in one format, of which only what has changed is printed again.
    private struct Page: Sendable {
        private let format: ExpositionFormat
        private var sections = Collector.Pace.allCases.map { _ in JoinedTexts() }
        private var report = ScrapeReport(count: 0)

        init(_ format: ExpositionFormat) { self.format = format }

        mutating func update(_ collectors: [Collector]) -> [BodyPart] {
            var report = ScrapeReport(count: collectors.count)
            let span = collectors.span
            for index in span.indices {
                // A double optional: without the outer one it has failed, without the inner one nothing has changed.
                let text = report.time { try span[index].newText(format) }
                sections[span[index].pace.rawValue].put(text ?? [])
            }
            var encoder = ExpositionEncoder()
            sections[Collector.Pace.steady.rawValue].put(
                report.successes == self.report.successes
                    ? nil : encoder.encodePart([report.successes(of: collectors)], as: format)
            )
            sections[Collector.Pace.moving.rawValue].put(
                report.durations == self.report.durations
                    ? nil : encoder.encodePart([report.durations(of: collectors)], as: format)
            )
            sections[Collector.Pace.always.rawValue].put(encoder.encode([], as: format))
            self.report = report
            return sections.indices.map { sections[$0].joined() }
        }
    }
}
