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

    init(_ check: Check, wait: Duration) throws {
        (requirement, isJSON, self.wait) = (check.requirement, check.json, wait)
        base = try usage { try HTTPEndpoint(check.url ?? HTTPEndpoint.local(.process)) }
    }

    func run() throws -> Check.Outcome {
        let deadline = ContinuousClock.now + wait
        while true {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            let part = min(rest, HealthQuestion.longestWait)
            var path = "/health?requirement=\(requirement)&format=\(isJSON ? "json" : "text")"
            if part > .zero { path += "&wait=\(max(1, Int(part / .milliseconds(1))))ms" }
            let answer: (status: Int, body: String)
            do throws(HTTPEndpoint.Failure) {
                answer = try base.get(path, timeout: part + .seconds(5))
            } catch {
                // An exporter that is being restarted is worth waiting for.
                if rest > .seconds(1) {
                    usleep(500_000)
                    continue
                }
                StandardError.write("\(error)\n")
                return .unreachable
            }
            if answer.status == 503, rest > part { continue }
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
}
