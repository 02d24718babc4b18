import MicroHTTP
import PrometheusExposition

/// `/metrics`: what the collectors have in memory, in the format that the client prefers.
struct MetricsView: Sendable {
    private let scrape: Scrape

    init(collectors: [Collector]) {
        scrape = Scrape(collectors: collectors)
    }

    @Sendable func answer(_ request: Request) -> Response {
        let format = ExpositionFormat.negotiated(accept: request.accept)
        let wanted = request.queryValues("name[]")
        let body: Response.Body =
            wanted.isEmpty ? .parts(scrape.exposition(as: format)) : .bytes(selection(of: wanted, as: format))
        return Response(headers: ["Content-Type": format.contentType], body: body, isCompressible: true)
    }

    private func selection(of samples: [String], as format: ExpositionFormat) -> [UInt8] {
        var encoder = ExpositionEncoder()
        return encoder.encode(scrape.families().filter { samples.contains(where: $0.hasSample) }, as: format)
    }
}
