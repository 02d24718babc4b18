import MicroHTTP
import Probing
import PrometheusExposition

/// `/probe?target=NAME`: the last probe of a configured target in blackbox_exporter's families, from memory.
struct ProbeView: Sendable {
    let targets: TargetMonitor

    @Sendable func answer(_ request: Request) -> Response {
        let names = request.queryValues("target")
        guard names.count == 1, let name = names.first else {
            return .text("expected one target=NAME; \(known)\n", status: 400)
        }
        guard let report = targets.report(named: name) else {
            return .text("no target is named \"\(name)\"; \(known)\n", status: 404)
        }
        let statistics = report.statistics
        if let reason = statistics.inconclusive { return .text("\(name): \(reason.sentence)\n", status: 503) }
        guard let last = statistics.lastResult, let date = statistics.lastProbedAt else {
            return .text("\(name) was not probed yet\n", status: 503)
        }
        guard statistics.isUp != nil else {
            return .text("\(name): its last probes failed at a limit of this machine\n", status: 503)
        }
        let format = ExpositionFormat.negotiated(accept: request.accept)
        var encoder = ExpositionEncoder()
        let bytes = encoder.encode(ProbeFamilies.families(report.target, last, at: date), as: format)
        return .bytes(bytes, contentType: format.contentType, isCompressible: true)
    }

    private var known: String {
        let names = targets.reports.map(\.target.name)
        return names.isEmpty ? "none is configured" : "one of: \(names.joined(separator: ", "))"
    }
}
