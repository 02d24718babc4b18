import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import Statistics

/// Whether the requirement `online` holds, and why not.
struct HealthVerdict: Sendable, Equatable {
    var passed: Bool
    var reasons: [String]
    var quality: NetworkQuality?
    var isExpensive: Bool?
    var isConstrained: Bool?
    /// How far the internet is; nil: nobody knows.
    var latency: Duration?

    /// A state of nil is that before the first complete evaluation, which is `starting`.
    init(_ state: HealthState?, latency: Duration? = nil) {
        self.latency = latency
        reasons = Reason(state).map { [$0.rawValue] } ?? []
        passed = reasons.isEmpty
        quality = state?.quality
        isExpensive = state?.path.isExpensive
        isConstrained = state?.path.isConstrained
    }

    /// One line for people and shells.
    var text: String { passed ? "online" : reasons.joined(separator: ", ") }

    /// What to do about it.
    var recommendation: String {
        reasons.first.flatMap(Reason.init(rawValue:))?.recommendation
            ?? "Network quality is sufficient for this operation"
    }

    /// Why a requirement does not hold; the raw values are the words of the answer.
    enum Reason: String, Sendable, CaseIterable {
        case starting
        case offline
        case noInternet = "no_internet"
        case dnsBroken = "dns_broken"
        case captivePortal = "captive_portal"

        /// Why the network of `state` is not usable; nil when it is.
        init?(_ state: HealthState?) {
            guard let state else {
                self = .starting
                return
            }
            switch (state.isOnline, state.status.isConnected, state.internet?.state) {
            case (true?, _, _): return nil
            case (_, false, _): self = .offline
            case (nil, true, _): self = .starting
            case (false?, true, .captive?): self = .captivePortal
            case (false?, true, .dnsBroken?): self = .dnsBroken
            case (false?, true, _): self = .noInternet
            }
        }

        var recommendation: String {
            switch self {
            case .starting: "The first evaluation is not complete yet. Try again in a second"
            case .offline: "No network connection. Please check your internet"
            case .noInternet: "Connected, but nothing beyond this network answers. Check the router and the provider"
            case .dnsBroken: "Connected, but names do not resolve. Check the DNS servers of this network"
            case .captivePortal: "This network wants a login first. Open any page in a browser and sign in"
            }
        }
    }

    var json: [UInt8] { JSONDocument.encode(Document(self)) }

    /// The answer's fields by their names; what this version does not know is `null`.
    private struct Document: Encodable {
        var requirement = "online"
        var passed: Bool
        @Nullable var currentQuality: String?
        @Nullable var requiredQuality: String?
        var reasons: [String]
        var recommendation: String
        @Nullable var quality: QualityEvidence?
        @Nullable var nextMeasurementAt: Date?
        @Nullable var downloadMbps: Double?
        @Nullable var uploadMbps: Double?
        @Nullable var latencySeconds: Double?
        @Nullable var expensive: Bool?
        @Nullable var constrained: Bool?

        init(_ verdict: HealthVerdict) {
            passed = verdict.passed
            currentQuality = verdict.quality?.rawValue
            reasons = verdict.reasons
            recommendation = verdict.recommendation
            quality = verdict.quality.map { _ in QualityEvidence(source: QualitySource.estimated.rawValue) }
            latencySeconds = verdict.latency?.seconds
            expensive = verdict.isExpensive
            constrained = verdict.isConstrained
        }
    }

    /// Where the quality comes from.
    private struct QualityEvidence: Encodable {
        var source: String
        @Nullable var measuredAt: Date?
        @Nullable var ageSeconds: Double?

        init(source: String) { self.source = source }
    }
}
