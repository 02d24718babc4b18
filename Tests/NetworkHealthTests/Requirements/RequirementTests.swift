import Foundation
import NetworkPath
import Probing
import Statistics
import Testing

@testable import NetworkHealth

struct RequirementTests {
    @Test(arguments: [
        (NetworkRequirement.basicBrowsing, 1e6, 999_999.0), (.imageLoading, 1e6, 999_999),
        (.videoStreaming, 10e6, 9_999_999), (.largeDownload, 50e6, 49_999_999),
        (.custom(.poor), 0, -1), (.custom(.excellent), 50e6, 49_999_999),
    ])
    func `each requirement of the library is met at its threshold and not below it`(
        requirement: NetworkRequirement,
        enough: Double,
        tooLittle: Double
    ) {
        let requirement = Requirement(requirement)
        #expect(requirement.evaluate(Self.facts(download: enough)).passed)
        guard tooLittle >= 0 else { return }
        #expect(requirement.evaluate(Self.facts(download: tooLittle)).reasons == [.throughputBelow])
    }

    @Test func `a large upload also needs a measured upload of 50 Mbps, where one was measured`() {
        let requirement = Requirement(NetworkRequirement.largeUpload)
        #expect(requirement.evaluate(Self.facts(download: 50e6)).passed)
        #expect(requirement.evaluate(Self.facts(download: 50e6, upload: 50e6)).passed)
        #expect(requirement.evaluate(Self.facts(download: 50e6, upload: 49_999_999)).reasons == [.uploadBelow])
        #expect(
            requirement.evaluate(Self.facts(download: 1e6, upload: 1e6)).reasons == [.throughputBelow, .uploadBelow]
        )
    }

    /// What a test measured that the processors limited.
    static func bounded(
        _ path: Path = .over(.wifi),
        download: Double,
        upload: Double? = nil,
        _ change: (inout RequirementFacts) -> Void = { _ in }
    ) -> RequirementFacts {
        var facts = facts(path, download: download, upload: upload, change)
        facts.state = facts.state.map { state in
            var evidence = state.evidence
            evidence.measurement?.download?.isLowerBound = true
            evidence.measurement?.upload?.isLowerBound = true
            return HealthState(path: path, evidence: evidence, timestamp: now)
        }
        return facts
    }

    @Test func `a lower bound opens a gate and closes none, as if nothing were measured`() {
        let (good, excellent) = (
            Requirement(NetworkRequirement.videoStreaming), Requirement(NetworkRequirement.largeDownload)
        )
        #expect(excellent.evaluate(Self.bounded(download: 50e6)).passed)
        #expect(excellent.evaluate(Self.bounded(download: 49e6)).reasons == [.unmeasured])
        #expect(good.evaluate(Self.bounded(.over(.cellular), download: 10e6)).passed)
        #expect(good.evaluate(Self.bounded(download: 1e6)).passed, "by the estimate")
        #expect(good.evaluate(Self.bounded(.over(.cellular), download: 9e6)).reasons == [.unmeasured])
        #expect(good.evaluate(Self.bounded(download: 1e6) { $0.unmeasured = .fail }).reasons == [.unmeasured])
        let bounded = Self.bounded(download: 30e6)
        #expect(Self.reasons(bounded) { $0.minDownload = 30e6 }.isEmpty)
        #expect(Self.reasons(bounded) { $0.minDownload = 40e6 } == [.unmeasured])
        let large = Requirement(NetworkRequirement.largeUpload)
        #expect(large.evaluate(Self.bounded(download: 60e6, upload: 1e6)).passed)
        #expect(
            large.evaluate(Self.bounded(download: 60e6, upload: 1e6) { $0.unmeasured = .fail }).reasons == [.unmeasured]
        )
    }

    /// A download of now, and an upload that was measured so long before; nil: never.
    static func facts(uploadAge: Double?, _ change: (inout RequirementFacts) -> Void = { _ in })
        -> RequirementFacts
    {
        var evidence = QualityEvidence(maxAge: .seconds(3600))
        var measurement = SpeedMeasurement(download: .megabits(100), upload: nil, measuredAt: now)
        if let uploadAge {
            measurement.upload = .init(rate: .megabits(5), measuredAt: now - uploadAge)
        }
        evidence.measurement = measurement
        var facts = RequirementFacts(
            state: HealthState(path: .over(.wifi), evidence: evidence, timestamp: now),
            date: now
        )
        change(&facts)
        return facts
    }

    @Test func `a test whose upload failed opens no gate that the last good upload closes`() {
        let facts = Self.facts(uploadAge: 600)
        #expect(Requirement(NetworkRequirement.largeUpload).evaluate(facts).reasons == [.uploadBelow])
        #expect(Self.reasons(facts) { $0.minUpload = 6e6 } == [.uploadBelow])
        #expect(Self.reasons(facts) { $0.minUpload = 5e6 }.isEmpty)
    }

    @Test func `each direction expires separately, and only for requirements that need it`() {
        let policy: @Sendable (inout RequirementFacts) -> Void = { $0.unmeasured = .fail }
        let (stale, never) = (Self.facts(uploadAge: 3601, policy), Self.facts(uploadAge: nil, policy))
        for facts in [stale, never] {
            #expect(Requirement(NetworkRequirement.largeDownload).evaluate(facts).passed)
            #expect(Self.reasons(facts) { $0.minDownload = 50e6 }.isEmpty)
        }
        #expect(Self.reasons(stale) { $0.minUpload = 1 } == [.staleMeasurement])
        #expect(Self.reasons(never) { $0.minUpload = 1 } == [.unmeasured])
        let largeUpload = Requirement(NetworkRequirement.largeUpload)
        #expect(largeUpload.evaluate(stale).reasons == [.staleMeasurement], "an upload was measured once")
        #expect(largeUpload.evaluate(never).passed)
        let young = Self.facts(uploadAge: 600, policy)
        #expect(
            Self.reasons(young) {
                $0.minUpload = 1
                $0.maxAge = .seconds(599)
            } == [.staleMeasurement]
        )
    }

    @Test func `an upload alone leaves the download unmeasured, not stale`() {
        let facts = Self.facts(upload: 5e6) { $0.unmeasured = .fail }
        #expect(Self.reasons(facts) { $0.minDownload = 1 } == [.unmeasured])
    }

    @Test func `without a network that is the only reason`() {
        let cases: [(HealthState?, HealthReason)] = [
            (nil, .starting),
            (HealthState(path: Path(status: .unsatisfied, unsatisfiedReason: .noRoute), timestamp: Self.now), .offline),
            (state(.captivePortal), .captivePortal), (state(.dnsBroken), .dnsBroken), (state(.noInternet), .noInternet),
            (state(.tlsUntrusted, cause: .tlsUntrusted), .tlsUntrusted),
            (HealthState(path: .over(.wifi), expectsVerdict: true, timestamp: Self.now), .starting),
        ]
        for (state, reason) in cases {
            let facts = Self.facts { $0.state = state }
            for requirement in Requirement.builtIn { #expect(requirement.evaluate(facts).reasons == [reason]) }
        }
    }

    @Test(arguments: [true, false])
    func `who does not know the state of the internet is named`(isHost: Bool) {
        var state = state(.unknown)
        state.internet?.isUnknownToHost = isHost
        state.internet?.isHindered = !isHost
        let verdict = Requirement.online.evaluate(Self.facts { $0.state = state })
        #expect(verdict.reasons == [.starting])
        #expect(verdict.recommendation() == (isHost ? HealthReason.unknownToHost : HealthReason.hindered))
    }

    @Test func `Certificates that are not trusted are a reason only where they are denied`() {
        let facts = Self.facts { $0.state = state(.tlsUntrusted) }
        #expect(Requirement.online.evaluate(facts).passed)
    }

    private func state(_ internet: InternetState, cause: InternetCause? = nil) -> HealthState {
        let verdict = InternetVerdict(
            state: internet,
            cause: cause,
            evidenceAt: SuspendingClock().now,
            generation: 1
        )
        return HealthState(path: .over(.wifi), internet: verdict, expectsVerdict: true, timestamp: Self.now)
    }

    @Test func `unmeasured and stale, under both policies`() {
        let stale = Self.facts(download: 100e6, upload: 100e6, age: 3601)
        let none = Self.facts()
        for (facts, missing) in [(none, HealthReason.unmeasured), (stale, .staleMeasurement)] {
            #expect(Self.reasons(facts) { $0.quality = .good }.isEmpty, "Wi-Fi promises as much")
            #expect(Self.reasons(facts) { $0.quality = .excellent } == [.qualityBelow, missing])
            #expect(Self.reasons(facts) { $0.minDownload = 10e6 }.isEmpty)
            #expect(Self.reasons(facts) { $0.minDownload = 50e6 } == [.qualityBelow, missing])
            #expect(Self.reasons(facts) { $0.minDownload = 10_000_001 } == [missing], "Wi-Fi promises 10 Mbit/s")
            #expect(Self.reasons(facts) { $0.minUpload = 10e6 }.isEmpty)
            var strict = facts
            strict.unmeasured = .fail
            #expect(Self.reasons(strict) { $0.quality = .poor } == [missing])
            #expect(Self.reasons(strict) { $0.minUpload = 1 } == [missing])
            #expect(Self.reasons(strict).isEmpty, "no speed was asked for")
            #expect(
                Self.reasons(strict) {
                    $0.quality = .good
                    $0.unmeasured = .estimate
                }.isEmpty
            )
        }
    }

    @Test(arguments: [[Impairment.loss], [.latency], [.latency, .loss]])
    func `The reason for an estimate that loss or latency lowers is that value, not the quality`(values: [Impairment]) {
        let impairments = Set(values)
        let reasons: [HealthReason] = values.map { $0 == .loss ? .lossAbove : .latencyAbove }
        let facts = Self.facts { $0.state?.evidence.impairments = impairments }
        let good = Requirement(NetworkRequirement.videoStreaming)
        #expect(good.evaluate(facts).reasons == reasons + [.unmeasured])
        #expect(good.evaluate(facts).recommendation() == reasons.first?.recommendation(on: .wifi))
        #expect(Requirement(NetworkRequirement.basicBrowsing).evaluate(facts).passed, "one step down is enough for it")
        let excellent = Requirement(NetworkRequirement.largeDownload)
        #expect(excellent.evaluate(facts).reasons == [.qualityBelow, .unmeasured], "the path promises no more")
        let measured = Self.facts(download: 20e6) { $0.state?.evidence.impairments = impairments }
        #expect(good.evaluate(measured).passed, "a measurement stays")
        let limited = Self.facts(latency: NetworkLatency(latency: .seconds(1), lossRatio: 0.5)) {
            $0.state?.evidence.impairments = impairments
        }
        #expect(
            Self.reasons(limited) { ($0.quality, $0.maxLoss, $0.maxLatency) = (.good, 0.01, .milliseconds(1)) }
                == [.latencyAbove, .lossAbove, .unmeasured],
            "each reason once"
        )
    }

    @Test func `a requirement's own max age overrides the general one`() {
        let facts = Self.facts(download: 100e6, age: 600)
        #expect(Self.reasons(facts) { $0.quality = .excellent }.isEmpty)
        #expect(
            Self.reasons(facts) {
                $0.quality = .excellent
                $0.maxAge = .seconds(599)
            } == [.qualityBelow, .staleMeasurement]
        )
        let old = Self.facts(download: 100e6, age: 7200)
        #expect(
            Self.reasons(old) {
                $0.quality = .excellent
                $0.maxAge = .seconds(7200)
            }.isEmpty
        )
    }

    @Test func `each limit of its own, from both sides`() {
        let facts = Self.facts(
            download: 4e6,
            upload: 3e6,
            latency: NetworkLatency(latency: .milliseconds(150), jitter: .milliseconds(30), lossRatio: 0.01)
        )
        let limits: [(HealthReason, (inout Requirement, Bool) -> Void)] = [
            (.throughputBelow, { $0.minDownload = $1 ? 4e6 : 4_000_001 }),
            (.uploadBelow, { $0.minUpload = $1 ? 3e6 : 3_000_001 }),
            (.latencyAbove, { $0.maxLatency = .milliseconds($1 ? 150 : 149) }),
            (.jitterAbove, { $0.maxJitter = .milliseconds($1 ? 30 : 29) }),
            (.lossAbove, { $0.maxLoss = $1 ? 0.01 : 0.0099 }),
        ]
        for (reason, set) in limits {
            #expect(Self.reasons(facts) { set(&$0, true) }.isEmpty)
            #expect(Self.reasons(facts) { set(&$0, false) } == [reason])
        }
        let all = Self.reasons(facts) { requirement in for (_, set) in limits { set(&requirement, false) } }
        #expect(all == limits.map(\.0))
        #expect(Self.reasons(Self.facts()) { $0.maxLatency = .milliseconds(1) }.isEmpty, "nobody knows the latency")
    }

    @Test func `cost, with and without a limit`() {
        var path = Path.over(.wifi)
        (path.isExpensive, path.expensiveSource, path.isConstrained) = (true, .rule, true)
        let facts = Self.facts(path)
        #expect(Requirement.online.evaluate(facts).passed)
        #expect(Requirement.unmetered.evaluate(facts).reasons == [.expensive, .constrained])
        path.isConstrained = false
        #expect(Requirement.unmetered.evaluate(Self.facts(path)).reasons == [.expensive])
    }

    @Test func `an unknown cost is a reason of its own, unless it is allowed`() {
        var path = Path.over(.wifi)
        (path.expensiveSource, path.constrainedSource, path.viewpoint) = (.unknown, .unknown, .container)
        let verdict = Requirement.unmetered.evaluate(Self.facts(path))
        #expect(verdict.reasons == [.costUnknown])
        for flag in ["--path.expensive", "--host.url"] { #expect(verdict.recommendation().contains(flag)) }
        let silent = Requirement.unmetered.evaluate(Self.facts(path) { $0.isHostSilent = true })
        #expect(silent.reasons == [.costUnknown] && silent.recommendation() == CostGap.silentHost.recommendation)
        #expect(Requirement.unmetered.evaluate(Self.facts(path) { $0.deniesUnknownCost = false }).passed)
        for known in [CostSource.assumed, .networkManagerNo] {
            path.expensiveSource = known
            #expect(Requirement.unmetered.evaluate(Self.facts(path)).passed)
        }
    }

    @Test(arguments: [false, true])
    func `on a host NetworkManager alone may be missing for the cost, and no flag is advised`(isHostSilent: Bool) {
        var path = Path.over(.wifi)
        (path.expensiveSource, path.viewpoint) = (.unknown, .host)
        let verdict = Requirement.unmetered.evaluate(Self.facts(path) { $0.isHostSilent = isHostSilent })
        #expect(verdict.reasons == [.costUnknown])
        #expect(verdict.recommendation() == CostGap.awaitsNetworkManager.recommendation)
        #expect(!verdict.recommendation().contains("--"))
    }

    @Test func `a target that is not known to be up is down`() {
        let facts = Self.facts { $0.upTargets = ["broker"] }
        #expect(Self.reasons(facts) { $0.targets = ["broker"] }.isEmpty)
        #expect(Self.reasons(facts) { $0.targets = ["broker", "api"] } == [.targetDown])
    }
}
