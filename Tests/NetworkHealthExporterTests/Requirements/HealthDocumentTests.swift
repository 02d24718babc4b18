import Foundation
import NetworkHealth
import NetworkPath
import Statistics
import Testing

@testable import NetworkHealthExporter

struct HealthDocumentTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_300)

    private func verdict(_ requirement: Requirement, _ state: HealthState?) -> RequirementVerdict {
        requirement.evaluate(RequirementFacts(state: state, date: Self.now))
    }

    private func json(_ verdict: RequirementVerdict, next: Date? = nil) -> String {
        let document = HealthDocument(verdict, latency: .milliseconds(21), nextMeasurement: next, at: Self.now)
        return String(decoding: document.json, as: UTF8.self)
    }

    @Test func `before the first evaluation it is starting`() {
        let verdict = verdict(.online, nil)
        #expect(verdict.text == "starting" && verdict.retryAfter(nextMeasurement: nil, at: Self.now) == 1)
        #expect(
            json(verdict) == """
                {"constrained":null,"currentQuality":null,"downloadSpeedMbps":null,"expensive":null,"latencySeconds":0.021,\
                "limits":{"maxJitterSeconds":null,"maxLatencySeconds":null,"maxLossRatio":null,"minDownloadMbps":null,"minUploadMbps":null},\
                "nextMeasurementAt":null,"notice":null,"passed":false,"quality":null,"reasons":["starting"],\
                "recommendation":"The evaluation of this network is not complete yet. Try again in a second",\
                "requiredQuality":null,"requirement":"online","uplink":null,"uploadSpeedMbps":null}
                """
        )
    }

    @Test func `a measured speed that is too low is a reason, with the time of the next test`() {
        var state = HealthState.online()
        state.evidence.measurement = SpeedMeasurement(
            download: .megabits(31.2),
            upload: .megabits(9.8),
            measuredAt: Self.now - 312
        )
        let verdict = verdict(Requirement(.largeDownload), state)
        #expect(verdict.text == "throughput_below")
        #expect(
            json(verdict, next: Self.now + 600) == """
                {"constrained":false,"currentQuality":"good","downloadSpeedMbps":31.2,"expensive":false,"latencySeconds":0.021,\
                "limits":{"maxJitterSeconds":null,"maxLatencySeconds":null,"maxLossRatio":null,"minDownloadMbps":50,"minUploadMbps":null},\
                "nextMeasurementAt":"2023-11-14T22:28:20Z","notice":null,"passed":false,\
                "quality":{"ageSeconds":312,"measuredAt":"2023-11-14T22:13:08Z","source":"measured"},\
                "reasons":["throughput_below"],"recommendation":"Network is too slow for this operation",\
                "requiredQuality":"excellent","requirement":"largeDownload","uplink":null,"uploadSpeedMbps":9.8}
                """
        )
    }

    @Test func `every limit of a requirement is there, those of its quality included`() {
        var requirement = Requirement(.largeUpload)
        requirement.minDownload = 3_000_000
        requirement.maxLatency = .milliseconds(150)
        requirement.maxJitter = .milliseconds(30)
        requirement.maxLoss = 0.02
        let limits = """
            "limits":{"maxJitterSeconds":0.03,"maxLatencySeconds":0.15,"maxLossRatio":0.02,"minDownloadMbps":50,"minUploadMbps":50}
            """
        #expect(json(verdict(requirement, .online())).contains(limits))
    }

    @Test func `numbers have the digits that were measured`() {
        var state = HealthState.online()
        state.evidence.measurement = SpeedMeasurement(
            download: .megabits(100.0 / 3),
            upload: .megabits(10.0 / 3),
            measuredAt: Self.now - 1
        )
        let verdict = verdict(Requirement(.basicBrowsing), state)
        let latency = Duration.nanoseconds(21_234_567)
        let document = HealthDocument(verdict, latency: latency, nextMeasurement: nil, at: Self.now)
        let json = String(decoding: document.json, as: UTF8.self)
        for field in [#""downloadSpeedMbps":33.333,"#, #""uploadSpeedMbps":3.3333}"#, #""latencySeconds":0.021235,"#] {
            #expect(json.contains(field), "\(json)")
        }
    }

    @Test(arguments: Path.UnsatisfiedReason.allCases) func `any other state is offline`(reason: Path.UnsatisfiedReason)
    {
        let verdict = verdict(.online, .offline(reason))
        #expect(!verdict.passed && verdict.text == "offline")
        #expect(verdict.recommendation() == "No network connection. Please check your internet")
    }

    @Test func `Retry-After is when the answer may change, from 1 to 60 s`() {
        var slow = verdict(Requirement(.largeDownload), .online())
        #expect(slow.reasons == [.qualityBelow, .unmeasured])
        #expect(slow.retryAfter(nextMeasurement: Self.now + 12.2, at: Self.now) == 13)
        #expect(slow.retryAfter(nextMeasurement: Self.now + 7200, at: Self.now) == 60)
        #expect(slow.retryAfter(nextMeasurement: Self.now - 5, at: Self.now) == 1)
        #expect(slow.retryAfter(nextMeasurement: nil, at: Self.now) == 60)
        slow.changesIn = .milliseconds(4200)
        #expect(slow.retryAfter(nextMeasurement: nil, at: Self.now) == 5)
        var late = slow
        late.reasons = [.latencyAbove]
        #expect(late.retryAfter(nextMeasurement: nil, at: Self.now) == 5)
        #expect(verdict(.online, .offline()).retryAfter(nextMeasurement: Self.now + 50, at: Self.now) == 1)
    }

    @Test func `the manual has the recommendation of each reason`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
        let manual = try String(
            contentsOf: file.appending(path: "../../../docs/health.md").standardized,
            encoding: .utf8
        )
        for reason in HealthReason.allCases {
            let row = manual.split(separator: "\n").last { $0.hasPrefix("| `\(reason.rawValue)` |") }
            for connection in [ConnectionType.cellular, .wifi] {
                #expect(row?.contains(reason.recommendation(on: connection)) == true, "\(reason)")
            }
        }
    }
}
