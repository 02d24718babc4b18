import HTTPTransfer
import MicroHTTP
import Probing
import PrometheusExposition
import StrictYAML

/// `/probe?target=NAME`: the last probe of a configured target in blackbox_exporter's families, from memory.
///
/// As there, `target` may also be an address.
struct ProbeView: Sendable {
    let targets: TargetMonitor

    @Sendable func answer(_ request: Request) -> Response {
        let texts = request.queryValues("target")
        guard texts.count == 1, let text = texts.first, !text.isEmpty else {
            return .text("expected one target=NAME; \(known)\n", status: 400)
        }
        let modules = request.queryValues("module").filter { !$0.isEmpty }
        guard modules.count <= 1 else { return .text("expected one module at most\n", status: 400) }
        let found = targets.reports(meantBy: text)
        guard let first = found.first else { return unknown(text, module: modules.first) }
        guard let report = found.first(where: { modules.first == nil || $0.target.module == modules.first }) else {
            let asked = JSONText.quoted(modules.first ?? "")
            return .text(
                "the module of \(first.target.name) is \(first.target.module), found \(asked); it may be left out\n",
                status: 400
            )
        }
        return answer(report, request)
    }

    private func answer(_ report: TargetReport, _ request: Request) -> Response {
        let (name, statistics) = (report.target.name, report.statistics)
        if let reason = statistics.inconclusive { return .text("\(name): \(reason.sentence)\n", status: 503) }
        guard let last = statistics.lastResult else {
            guard report.isPaused else { return .text("\(name) was not probed yet\n", status: 503) }
            return exposition(ProbeFamilies.families(report.target), request)
        }
        guard statistics.isUp != nil else {
            return .text("\(name): its last probes failed at a limit of this machine\n", status: 503)
        }
        return exposition(ProbeFamilies.families(report.target, last, isPaused: report.isPaused), request)
    }

    private func exposition(_ families: [MetricFamily], _ request: Request) -> Response {
        let format = ExpositionFormat.negotiated(accept: request.accept)
        var encoder = ExpositionEncoder()
        let bytes = encoder.encode(families, as: format)
        return .bytes(bytes, contentType: format.contentType, isCompressible: true)
    }

    private func unknown(_ text: String, module: String?) -> Response {
        let suggestion = TargetSuggestion(for: text, module: module, taken: Set(targets.reports.map(\.target.name)))
        return .text(
            "no target is named \(JSONText.quoted(WebURL.masked(text))), and none has that address; \(known)\n\n\(suggestion)",
            status: 404
        )
    }

    private var known: String {
        let names = targets.reports.map(\.target.name)
        return names.isEmpty ? "none is configured" : "one of: \(names.joined(separator: ", "))"
    }
}

extension TargetReport {
    /// Whether it is not probed, for the cost of the path.
    fileprivate var isPaused: Bool { if case .skip = decision { true } else { false } }
}
