import Foundation
import NetworkPath
import Probing
import Statistics
import Testing

@testable import NetworkHealth

struct ValueHoldTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    /// At most 100 ms, held for 30 s, judged at a latency.
    private func verdict(
        _ milliseconds: Int,
        path: Path = .over(.wifi),
        measured download: Double? = nil
    ) -> RequirementVerdict {
        var requirement = Requirement(name: "call")
        requirement.maxLatency = .milliseconds(100)
        var evidence = QualityEvidence()
        evidence.measurement = download.map {
            SpeedMeasurement(download: BitRate(bitsPerSecond: $0), upload: nil, measuredAt: Self.date)
        }
        return requirement.evaluate(
            RequirementFacts(
                state: HealthState(path: path, evidence: evidence, timestamp: Self.date),
                latency: NetworkLatency(latency: .milliseconds(milliseconds)),
                date: Self.date
            )
        )
    }

    @Test func `a value that flaps at its limit changes nothing`() {
        var hold = ValueHold()
        #expect(hold.hold(verdict(99), at: .zero).passed)
        for second in stride(from: 1, through: 600, by: 2) {
            #expect(hold.hold(verdict(101), at: .seconds(second)).passed)
            #expect(hold.hold(verdict(99), at: .seconds(second + 1)).passed)
        }
    }

    @Test func `a value that stays counts after the hold, both ways`() {
        var hold = ValueHold()
        _ = hold.hold(verdict(99), at: .zero)
        #expect(hold.hold(verdict(101), at: .seconds(10)).passed)
        let waiting = hold.hold(verdict(101), at: .seconds(39))
        #expect(waiting.passed && waiting.changesIn == .seconds(1))
        #expect(hold.hold(verdict(101), at: .seconds(40)).reasons == [.latencyAbove])
        #expect(hold.hold(verdict(99), at: .seconds(50)).reasons == [.latencyAbove])
        #expect(hold.hold(verdict(99), at: .seconds(80)).passed)
    }

    @Test func `the first answer, and one on another uplink or after a new test, is of the values as they are`() {
        var hold = ValueHold()
        #expect(hold.hold(verdict(101), at: .zero).reasons == [.latencyAbove])
        var other = Path.over(.wifi)
        other.gateways = ["192.0.2.1"]
        #expect(hold.hold(verdict(99, path: other), at: .seconds(1)).passed)
        #expect(hold.hold(verdict(101, path: other), at: .seconds(2)).passed)
        #expect(hold.hold(verdict(101, path: other, measured: 1e6), at: .seconds(3)).reasons == [.latencyAbove])
    }

    @Test func `offline is reported at once, and the values after it count immediately`() {
        var hold = ValueHold()
        let gone = Path(status: .unsatisfied, unsatisfiedReason: .noRoute)
        _ = hold.hold(verdict(99), at: .zero)
        #expect(hold.hold(verdict(99, path: gone), at: .seconds(1)).reasons == [.offline])
        #expect(hold.hold(verdict(101), at: .seconds(2)).reasons == [.latencyAbove])
    }
}
