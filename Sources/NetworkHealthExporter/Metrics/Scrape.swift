import Locking
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
        var report = ScrapeReport()
        var (steady, others): ([MetricFamily], [MetricFamily]) = ([], [])
        for collector in collectors {
            let families = report.time(collector) { try collector.families() } ?? []
            if collector.pace == .steady { steady += families } else { others += families }
        }
        return steady + [report.successes] + others + [report.durations]
    }

    /// The text of the last scrape in one format, of which only what has changed is printed again.
    private struct Page: Sendable {
        private let format: ExpositionFormat
        private var sections = Collector.Pace.allCases.map { _ in BodySection() }
        private var report = ScrapeReport()

        init(_ format: ExpositionFormat) { self.format = format }

        mutating func update(_ collectors: [Collector]) -> [BodyPart] {
            let last = report
            report = ScrapeReport()
            for collector in collectors {
                // A double optional: without the outer one it has failed, without the inner one nothing has changed.
                let text = report.time(collector) { try collector.newText(format) }
                sections[collector.pace.rawValue].put(text ?? [])
            }
            var encoder = ExpositionEncoder()
            let isSame = report.hasSameSuccesses(as: last)
            sections[Collector.Pace.steady.rawValue].put(
                isSame ? nil : encoder.encodePart([report.successes], as: format)
            )
            sections[Collector.Pace.always.rawValue].put(encoder.encode([report.durations], as: format))
            return sections.indices.map { sections[$0].joined() }
        }
    }
}
