import NetworkPath
import Testing

@testable import NetworkHealth

/// A speed whose interval has the limit of a requirement in it.
struct UncertainSpeedTests {
    /// With speeds that are known to 8 %.
    private func verdict(
        download: Double,
        upload: Double? = nil,
        policy: Requirement.Unmeasured = .estimate,
        _ change: (inout Requirement) -> Void
    ) -> RequirementVerdict {
        var requirement = Requirement(name: "test")
        change(&requirement)
        var facts = RequirementTests.facts(download: download, upload: upload)
        facts.unmeasured = policy
        facts.state = facts.state.map { state in
            var evidence = state.evidence
            evidence.measurement?.download?.uncertainty = 0.08
            evidence.measurement?.upload?.uncertainty = 0.08
            return HealthState(path: state.path, evidence: evidence, timestamp: RequirementTests.now)
        }
        return requirement.evaluate(facts)
    }

    @Test(arguments: [(54.4e6, true), (46.2e6, false)])
    func `a minimum is met by the lower end of the interval, and missed by the upper one`(rate: Double, passes: Bool) {
        let reasons = verdict(download: rate, policy: .fail) { $0.minDownload = 50e6 }.reasons
        #expect(reasons == (passes ? [] : [.throughputBelow]))
    }

    @Test(arguments: [54.2e6, 50e6, 46.4e6])
    func `between the ends it is uncertain, and judged as without a measurement`(rate: Double) {
        #expect(verdict(download: rate, policy: .fail) { $0.minDownload = 50e6 }.reasons == [.uncertain])
        // Wi-Fi promises 10 Mbit/s and not 50.
        #expect(verdict(download: rate) { $0.quality = .excellent }.reasons == [.uncertain])
        #expect(verdict(download: rate / 5) { $0.minDownload = 10e6 }.passed)
        #expect(verdict(download: rate / 2) { $0.minDownload = 25e6 }.reasons == [.uncertain])
    }

    @Test func `an upload is uncertain, or too slow, as a download is`() {
        #expect(verdict(download: 90e6, upload: 10e6, policy: .fail) { $0.minUpload = 10e6 }.reasons == [.uncertain])
        #expect(verdict(download: 90e6, upload: 10e6) { $0.minUpload = 10e6 }.passed)
        #expect(verdict(download: 90e6, upload: 9e6) { $0.minUpload = 10e6 }.reasons == [.uploadBelow])
    }

    @Test func `the recommendation names what was measured, how certain it is, and what is needed`() {
        let verdict = verdict(download: 49e6, policy: .fail) { $0.minDownload = 50e6 }
        #expect(verdict.recommendation() == "49 ± 3.92 Mbit/s measured, 50 needed. Run a new speed test")
    }
}
