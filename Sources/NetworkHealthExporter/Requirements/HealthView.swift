import Coordination
import FoundationEssentials
import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing
import Statistics

/// `/health`: 200 while a requirement is met, else 503, from memory.
struct HealthView: Sendable {
    static let path = "/health"
    /// Of the route, for the metrics.
    static let name = "health"

    let requirements: RequirementEvaluator
    let latency: @Sendable () -> NetworkLatency?
    let nextMeasurement: @Sendable () -> Date?
    /// What limits every answer, as text.
    var notice: @Sendable () -> String? = { nil }
    /// What a speed that counts needs here.
    var speedTests: @Sendable () -> SpeedTestAccess = { .unknown }

    /// Answers immediately.
    @Sendable func answer(_ request: Request) -> Response {
        do throws(HealthQuestion.Refusal) {
            return answer(requirements.verdict(try question(request).subject), request)
        } catch {
            return refusal(error, request)
        }
    }

    /// Whether the client waits for the answer; its connection is suspended meanwhile.
    static func isLongPoll(_ request: Request) -> Bool { !request.queryValues("wait").isEmpty }

    /// Answers as soon as the requirement is met, or at the end of the time.
    @Sendable func wait(_ request: Request) async -> Response {
        do throws(HealthQuestion.Refusal) {
            let question = try question(request)
            let verdict = await requirements.verdict(question.subject, within: question.wait)
            return answer(verdict, request)
        } catch {
            return refusal(error, request)
        }
    }

    private func question(_ request: Request) throws(HealthQuestion.Refusal) -> HealthQuestion {
        try HealthQuestion(request.query, valid: requirements.valid, uplinks: requirements.uplinkNames) {
            requirements.requirement(named: $0)
        }
    }

    private func answer(_ verdict: RequirementVerdict, _ request: Request) -> Response {
        let status = verdict.passed ? 200 : 503
        var response: Response
        if prefersJSON(request) {
            response = .json(document(verdict).json, status: status)
        } else {
            response = .text(verdict.text + "\n", status: status)
        }
        if !verdict.passed {
            let seconds = verdict.retryAfter(nextMeasurement: nextMeasurement(), at: .now)
            response.headers["Retry-After"] = "\(seconds)"
        }
        return response
    }

    /// Those of all requirements of this moment, in the order of their configuration.
    var documents: [HealthDocument] { requirements.names.map { document(requirements.verdict(.named($0))) } }

    private func document(_ verdict: RequirementVerdict) -> HealthDocument {
        let next = nextMeasurement()
        var document = HealthDocument(
            verdict,
            speedTests(),
            latency: verdict.requirement.uplink == nil ? latency()?.latency : verdict.uplink?.latency,
            nextMeasurement: next,
            at: .now
        )
        document.notice = notice()
        return document
    }

    private func refusal(_ refusal: HealthQuestion.Refusal, _ request: Request) -> Response {
        .error(refusal.message, status: 400, asJSON: prefersJSON(request))
    }

    private func prefersJSON(_ request: Request) -> Bool {
        switch request.queryValue("format") {
        case "json": true
        case .some: false
        case nil: JSONDocument.isPreferred(by: request.accept)
        }
    }
}

extension RequirementVerdict {
    /// One line of text.
    var text: String { passed ? requirement.name : reasons.map(\.rawValue).joined(separator: ", ") }

    /// Seconds until the answer may change, 1 to 60: the path with the next event, a value at the end of its hold, a speed
    /// with the next test.
    func retryAfter(nextMeasurement: Date?, at date: Date) -> Int {
        func clamped(_ seconds: Double) -> Int { Int(min(60, max(1, seconds.rounded(.up)))) }
        guard !reasons.isEmpty, reasons.allSatisfy(\.isAboutSpeed) else {
            return reasons.allSatisfy(\.isAboutValues) ? clamped(changesIn.map { $0 / .seconds(1) } ?? 5) : 1
        }
        let untilTest = nextMeasurement.map { $0.timeIntervalSince(date) }
        return clamped(min(untilTest ?? 60, changesIn.map { $0 / .seconds(1) } ?? 60))
    }
}

extension HealthReason {
    /// Only a speed test or another path changes it.
    fileprivate var isAboutSpeed: Bool {
        [.qualityBelow, .throughputBelow, .uploadBelow, .staleMeasurement, .unmeasured, .uncertain].contains(self)
    }
}

/// The answer of `/health` as JSON; unknown is `null`.
struct HealthDocument: Encodable {
    /// The source of the quality.
    struct Evidence: Encodable {
        var source: String
        @Nullable var measuredAt: Date?
        @Nullable var ageSeconds: Double?
    }

    /// What the requirement needs; null: no limit.
    struct Limits: Encodable {
        @Nullable var minDownloadMbps: Double?
        @Nullable var minUploadMbps: Double?
        @Nullable var maxLatencySeconds: Double?
        @Nullable var maxJitterSeconds: Double?
        @Nullable var maxLossRatio: Double?

        init(_ requirement: Requirement) {
            func megabits(_ rate: Double) -> Double? { rate > 0 ? (rate / 1e6).toFiveDigits : nil }
            minDownloadMbps = megabits(requirement.downloadMinimum)
            minUploadMbps = megabits(requirement.uploadMinimum)
            maxLatencySeconds = requirement.maxLatency?.seconds.toMicroseconds
            maxJitterSeconds = requirement.maxJitter?.seconds.toMicroseconds
            maxLossRatio = requirement.maxLoss
        }
    }

    var requirement: String
    /// null: the path.
    @Nullable var uplink: String?
    var passed: Bool
    @Nullable var currentQuality: String?
    @Nullable var requiredQuality: String?
    var limits: Limits
    var reasons: [String]
    var recommendation: String
    @Nullable var quality: Evidence?
    @Nullable var nextMeasurementAt: Date?
    @Nullable var downloadSpeedMbps: Double?
    @Nullable var uploadSpeedMbps: Double?
    @Nullable var latencySeconds: Double?
    @Nullable var expensive: Bool?
    @Nullable var constrained: Bool?
    @Nullable var notice: String?

    /// `speedTests`: what a speed that counts needs.
    init(
        _ verdict: RequirementVerdict,
        _ speedTests: SpeedTestAccess = .unknown,
        latency: Duration?,
        nextMeasurement: Date?,
        at date: Date
    ) {
        // Nothing is known before the first path has settled.
        let assessment = verdict.state?.isSettling == true ? nil : verdict.assessment
        let measured = assessment?.measurement
        (requirement, uplink) = (verdict.requirement.name, verdict.requirement.uplink)
        passed = verdict.passed
        currentQuality = assessment?.quality.rawValue
        requiredQuality = verdict.requirement.requiredQuality?.rawValue
        limits = Limits(verdict.requirement)
        reasons = verdict.reasons.map(\.rawValue)
        recommendation = verdict.recommendation(speedTests)
        quality = assessment.map { assessment in
            Evidence(
                source: assessment.source.rawValue,
                measuredAt: measured?.decisive?.measuredAt,
                ageSeconds: measured?.decisive?.age(at: date).rounded()
            )
        }
        nextMeasurementAt = nextMeasurement
        downloadSpeedMbps = measured?.download?.rate.megabits.toFiveDigits
        uploadSpeedMbps = measured?.upload?.rate.megabits.toFiveDigits
        latencySeconds = latency?.seconds.toMicroseconds
        expensive = verdict.state?.path.knownExpensive
        constrained = verdict.state?.path.knownConstrained
    }
}
