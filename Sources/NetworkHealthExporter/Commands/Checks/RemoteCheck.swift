import FoundationEssentials
import Glibc
import NetworkHealth
import StrictYAML

/// Asks the running exporter, again and again while there is time to wait.
struct RemoteCheck {
    /// It goes into a request line as it stands.
    let requirement: String
    let isJSON: Bool
    let wait: Duration
    let base: HTTPEndpoint
    /// The time, and a pause of this thread.
    var now: () -> ContinuousClock.Instant = { .now }
    var pause: (Duration) -> Void = Self.sleep

    init(_ check: Check, wait: Duration) throws {
        (requirement, isJSON, self.wait) = (check.requirement, check.json, wait)
        base = try usage { try HTTPEndpoint(check.url ?? HTTPEndpoint.local(.process)) }
    }

    func run() throws -> Check.Outcome {
        let deadline = now() + wait
        var pace = RetryPace()
        while true {
            let start = now()
            let rest = max(.zero, start.duration(to: deadline))
            let milliseconds = Int(min(rest, HealthQuestion.maxWait) / .milliseconds(1))
            let asked = Duration.milliseconds(milliseconds)
            var path = "/health?requirement=\(requirement)&format=\(isJSON ? "json" : "text")"
            if milliseconds > 0 { path += "&wait=\(milliseconds)ms" }
            let answer: HTTPEndpoint.Answer
            do throws(HTTPEndpoint.Failure) {
                answer = try base.get(path, timeout: asked + .seconds(5))
            } catch {
                // An exporter that is being restarted is worth waiting for.
                if rest > .seconds(1) {
                    pause(.milliseconds(500))
                    continue
                }
                StandardError.write("\(error)\n")
                return .unreachable
            }
            let end = now()
            if answer.status == 503, end < deadline {
                let wanted = pace.pause(after: start.duration(to: end), of: asked, retryAfter: answer.retryAfter)
                if wanted > .zero { pause(min(wanted, end.duration(to: deadline))) }
                continue
            }
            print(answer.body, terminator: answer.body.hasSuffix("\n") ? "" : "\n")
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

    private static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }
}

/// How long to pause before asking again; pure.
///
/// The exporter says 503 at the end of the wait that it was asked for. One that came earlier is another program's, such as a
/// proxy's, and asking again at once would have the same answer.
struct RetryPace {
    private static let first = Duration.seconds(1)
    private static let longest = Duration.seconds(30)

    private var next = first

    /// - Parameters:
    ///   - taken: how long the answer took.
    ///   - asked: how long it was to wait.
    ///   - retryAfter: what it says itself; honoured up to five minutes.
    /// - Returns: zero after an answer that came at its time.
    mutating func pause(after taken: Duration, of asked: Duration, retryAfter: Duration?) -> Duration {
        guard taken < asked || asked == .zero else {
            next = Self.first
            return .zero
        }
        defer { next = min(next * 2, Self.longest) }
        return max(next, min(retryAfter ?? .zero, HealthQuestion.maxWait))
    }
}
