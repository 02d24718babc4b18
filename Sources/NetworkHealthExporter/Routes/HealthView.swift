import MicroHTTP
import NetworkHealth
import Probing

/// `/health`: 200 while online, 503 while not, from memory.
struct HealthView: Sendable {
    private static let requirements = ["online"]

    let monitor: HealthMonitor
    let latency: @Sendable () -> NetworkLatency?

    @Sendable func answer(_ request: Request) -> Response {
        let names = request.queryValues("requirement")
        guard names.isEmpty || (names.count == 1 && Self.requirements.contains(names[0])) else {
            return refusal(
                names.count > 1 ? "requirement given \(names.count) times" : "unknown requirement \"\(names[0])\"",
                request
            )
        }
        let verdict = HealthVerdict(monitor.current, latency: latency()?.latency)
        var response: Response =
            prefersJSON(request)
            ? .json(verdict.json, status: verdict.passed ? 200 : 503)
            : .text(verdict.text + "\n", status: verdict.passed ? 200 : 503)
        // The path can come back with the next event.
        if !verdict.passed { response.headers["Retry-After"] = "1" }
        return response
    }

    private func refusal(_ reason: String, _ request: Request) -> Response {
        let text = "\(reason); one of: \(Self.requirements.joined(separator: ", "))"
        return prefersJSON(request)
            ? .json(Array("{\"error\":\(JSONText.quoted(text))}".utf8), status: 400) : .text(text + "\n", status: 400)
    }

    private func prefersJSON(_ request: Request) -> Bool {
        switch request.queryValue("format") {
        case "json": true
        case .some: false
        case nil: MediaPreference.prefersJSON(request.headers.values("Accept").joined(separator: ","))
        }
    }
}
