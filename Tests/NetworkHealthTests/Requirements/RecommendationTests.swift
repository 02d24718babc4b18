import NetworkPath
import Probing
import Testing

@testable import NetworkHealth

struct RecommendationTests {
    @Test func `a missing measurement goes before an estimate that is too low, and advice depends on the connection`() {
        #expect(
            Requirement(.largeDownload).evaluate(RequirementTests.facts(.over(.wifi))).recommendation()
                == HealthReason.unmeasured.recommendation(on: .wifi)
        )
        let limited = Requirement(.largeDownload).evaluate(RequirementTests.bounded(download: 49e6))
        #expect(limited.reasons == [.unmeasured] && limited.recommendation() == HealthReason.limited)
        for reason in [HealthReason.throughputBelow, .qualityBelow] {
            #expect(reason.recommendation(on: .cellular) == "Network is too slow. Try connecting to WiFi")
            for type in [ConnectionType.wifi, .ethernet] {
                #expect(reason.recommendation(on: type) == "Network is too slow for this operation")
            }
        }
    }

    @Test func `the advice about a speed that is missing says what it needs, and other advice does not`() {
        let missing = Requirement(.largeDownload).evaluate(RequirementTests.facts(.over(.wifi)))
        let gap = "No recent speed measurement for this connection."
        #expect(missing.recommendation() == "\(gap) Run a speed test, or configure a speed-test server")
        #expect(missing.recommendation(.open) == "\(gap) Run a speed test")
        #expect(missing.recommendation(.needs("Name a server")) == "\(gap) Name a server")
        let limited = Requirement(.largeDownload).evaluate(RequirementTests.bounded(download: 49e6))
        #expect(limited.recommendation(.open) == HealthReason.limited)
        #expect(limited.recommendation(.needs("Wait")) == "The processor of this machine limited the speed test. Wait")
        for other in [Requirement.online, .unmetered] {
            let verdict = other.evaluate(RequirementTests.facts { $0.state?.path.isExpensive = true })
            #expect(verdict.recommendation(.needs("Name a server")) == verdict.recommendation())
        }
    }

    @Test func `the processor is named only where it limited a direction that is needed`() {
        var requirement = Requirement(name: "x")
        (requirement.minUpload, requirement.unmeasured) = (5e6, .fail)
        func verdict(upload: Double?) -> RequirementVerdict {
            requirement.evaluate(RequirementTests.bounded(download: 49e6, upload: upload))
        }
        #expect(verdict(upload: nil).reasons == [.unmeasured] && verdict(upload: 4e6).reasons == [.unmeasured])
        #expect(verdict(upload: nil).recommendation() == HealthReason.unmeasured.recommendation(on: .wifi))
        #expect(verdict(upload: 4e6).recommendation() == HealthReason.limited)
    }

    @Test func `every reason has a recommendation of its own, except the two about speed`() {
        #expect(
            Set(HealthReason.allCases.map { $0.recommendation(on: .cellular) }).count == HealthReason.allCases.count - 1
        )
        #expect(
            HealthReason.offline.recommendation(on: .unknown) == "No network connection. Please check your internet"
        )
        #expect(
            Requirement.online.evaluate(RequirementTests.facts()).recommendation()
                == "Network quality is sufficient for this operation"
        )
    }
}
