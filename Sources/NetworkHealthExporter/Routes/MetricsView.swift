import Locking
import MicroHTTP
import PrometheusExposition

/// `/metrics`: what the collectors have in memory, in the format that the client prefers.
struct MetricsView: Sendable {
    private let scrape: Scrape
    /// One buffer for all answers: they are made one after the other, on the event thread.
    private let encoder = Locked(ExpositionEncoder())

    init(collectors: [Collector]) {
        scrape = Scrape(collectors: collectors)
    }

    @Sendable func answer(_ request: Request) -> Response {
        let format = ExpositionFormat.negotiated(accept: request.headers.values("Accept").joined(separator: ","))
        let wanted = request.queryValues("name[]")
        var families = scrape.families()
        if !wanted.isEmpty { families.removeAll { family in !wanted.contains(where: family.hasSample) } }
        let bytes = encoder.withLock { $0.encode(families, as: format) }
        return .bytes(bytes, contentType: format.contentType, isCompressible: true)
    }
}
