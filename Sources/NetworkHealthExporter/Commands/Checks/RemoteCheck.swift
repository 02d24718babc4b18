import HTTPTransfer
import StrictYAML

/// Queries the running exporter, repeatedly while there is time to wait.
struct RemoteCheck {
    let check: Check
    let wait: Duration
    let exporter: ExporterClient
    var now: () -> ContinuousClock.Instant = { .now }
    /// Between two queries: after no answer, and after a 503 that came before the wait was over.
    var pause: (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    init(_ check: Check, wait: Duration) throws {
        (self.check, self.wait) = (check, wait)
        exporter = try usage { try ExporterClient(check.client, .health) }
    }

    func run() async throws -> Check.Outcome {
        let deadline = now() + wait
        var pace = RetryPace()
        while true {
            let start = now()
            let rest = max(.zero, start.duration(to: deadline))
            let milliseconds = Int(min(rest, HealthQuestion.maxWait) / .milliseconds(1))
            let asked = Duration.milliseconds(milliseconds)
            // The requirement is part of the request line, unescaped.
            var path = "/health?requirement=\(check.requirement)&format=\(check.json ? "json" : "text")"
            if let uplink = check.uplink { path += "&uplink=\(uplink.queryEscaped)" }
            if milliseconds > 0 { path += "&wait=\(milliseconds)ms" }
            let answer: TransferResponse
            do throws(ExporterClient.Failure) {
                answer = try await exporter.get(path, timeout: asked + .seconds(5))
            } catch {
                // An exporter that is being restarted is worth waiting for.
                if rest > .seconds(1) {
                    try await pause(.milliseconds(500))
                    continue
                }
                StandardError.write("\(error)\n")
                return .unreachable
            }
            let end = now()
            if answer.status == 503, end < deadline {
                let wanted = pace.pause(after: start.duration(to: end), of: asked, retryAfter: answer.retryAfter)
                if wanted > .zero { try await pause(min(wanted, end.duration(to: deadline))) }
                continue
            }
            check.say(answer.text)
            switch answer.status {
            case 200: return .passed
            case 503: return .failed
            case 400: return .unknown
            default:
                StandardError.write("the exporter answered \(answer.status)\n")
                return .unreachable
            }
        }
    }
}

/// How long to pause before the next query; pure.
///
/// The exporter answers 503 at the end of the requested wait. An earlier one comes from an exporter that has too many waiting
/// clients, or from another program, such as a proxy, which would answer the same again.
struct RetryPace {
    private static let first = Duration.seconds(1)
    private static let longest = Duration.seconds(30)

    private var next = first

    /// - Parameters:
    ///   - taken: how long the answer took.
    ///   - asked: the requested wait.
    ///   - retryAfter: the answer's `Retry-After`; used up to five minutes.
    /// - Returns: zero after an answer that was not early.
    mutating func pause(after taken: Duration, of asked: Duration, retryAfter: Duration?) -> Duration {
        guard taken < asked || asked == .zero else {
            next = Self.first
            return .zero
        }
        defer { next = min(next * 2, Self.longest) }
        return max(next, min(retryAfter ?? .zero, HealthQuestion.maxWait))
    }
}
