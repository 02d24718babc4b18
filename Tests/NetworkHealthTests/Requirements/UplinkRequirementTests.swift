import Foundation
import NetworkPath
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealth

/// A requirement about one uplink, in use or not.
@Suite struct UplinkRequirementTests {
    private typealias Scene = UplinkScene

    private static func verdict(
        _ scene: Scene,
        of uplink: String = "eth1",
        measured: Double? = nil,
        over measuredUplink: String = "eth1 192.0.1.1",
        _ change: (inout Requirement) -> Void = { _ in }
    ) -> RequirementVerdict {
        var requirement = Requirement(name: "x")
        requirement.uplink = uplink
        change(&requirement)
        var facts = RequirementFacts(state: scene.health, date: RequirementTests.now)
        let reports = scene.board.reports(at: Scene.at(scene.now))
        facts.uplinks = { reports }
        facts.evidence = { uplink in
            var evidence = QualityEvidence(maxAge: .seconds(3600))
            if uplink.name == measuredUplink, let measured {
                evidence.measurement = SpeedMeasurement(
                    download: BitRate(bitsPerSecond: measured),
                    upload: nil,
                    measuredAt: RequirementTests.now
                )
            }
            return evidence
        }
        return requirement.evaluate(facts)
    }

    /// The second one works, or not, and the path leads over the first one.
    private static func scene(
        _ verdict: UplinkRound.Verdict = .answered,
        isNamed: Bool = true,
        _ change: (inout Scene) -> Void = { _ in }
    ) -> Scene {
        var scene = Scene([Scene.way(0), Scene.way(1)], rules: isNamed ? [.named("eth1", interface: "eth1")] : [])
        change(&scene)
        scene.update(at: 0)
        scene.pass(to: 30) { _ in verdict }
        return scene
    }

    @Test func `a standby that answers meets what it can, while the path is offline, too`() {
        var scene = Self.scene()
        #expect(Self.verdict(scene).passed)
        scene.isOnline = false
        scene.update(at: 31)
        #expect(Self.verdict(scene).passed && Self.verdict(scene, of: "eth0").reasons == [.noInternet])
    }

    @Test func `one that does not answer is down, with the reason, whatever the path does`() {
        #expect(Self.verdict(Self.scene(.silent)).reasons == [.noInternet])
        let cut = Self.scene { $0.ways[1].isUsable = false }
        #expect(Self.verdict(cut).reasons == [.offline] && Self.verdict(cut, of: "eth0").passed)
    }

    @Test(arguments: OutageCause.allCases.map(Optional.some) + [nil])
    func `an uplink that is down meets nothing, whatever its cause, also one that the host's exporter does not name`(
        cause: OutageCause?
    ) {
        var report = UplinkReport(adopted: "lte")
        (report.isOnline, report.cause) = (false, cause)
        var facts = RequirementFacts(state: Self.scene().health, date: RequirementTests.now)
        facts.uplinks = { [report] in [report] }
        var requirement = Requirement.online
        requirement.uplink = "lte"
        #expect(!requirement.evaluate(facts).passed)
    }

    @Test func `what cannot be tested is unknown, never down, and the advice says why`() {
        let blocked = Self.scene { $0.ways[1].access = .blocked(.reversePathFilter) }
        let verdict = Self.verdict(blocked)
        #expect(verdict.reasons == [.uplinkUnknown] && verdict.recommendation().contains("rp_filter"))
        let untested = Self.verdict(Self.scene(.inconclusive))
        #expect(
            untested.reasons == [.uplinkUnknown]
                && untested.recommendation().contains("No result of a test of it is known")
        )
        let unknown = Self.verdict(Self.scene(), of: "gone")
        #expect(unknown.reasons == [.uplinkUnknown] && !unknown.recommendation().isEmpty)
        // Nothing was found yet.
        var early = Scene([Scene.way(0), Scene.way(1)])
        early.isOnline = nil
        #expect(Self.verdict(early).reasons == [.uplinkUnknown])
    }

    @Test func `its own latency, loss, cost and speed decide`() {
        let scene = Self.scene { $0.ways[1].isExpensive = true }
        #expect(Self.verdict(scene) { $0.maxLatency = .milliseconds(10) }.reasons == [.latencyAbove])
        #expect(Self.verdict(scene) { $0.maxLatency = .milliseconds(30) }.passed)
        #expect(Self.verdict(scene) { $0.allowsExpensive = false }.reasons == [.expensive])
        #expect(Self.verdict(scene, of: "eth0") { $0.allowsExpensive = false }.passed)
        #expect(Self.verdict(scene, measured: 3e6) { $0.minDownload = 4e6 }.reasons == [.throughputBelow])
        #expect(Self.verdict(scene, measured: 5e6) { $0.minDownload = 4e6 }.passed)
        let local = Self.scene { $0.ways[1].routers = [.ipv6: IPAddress("fe80::1")] }
        let measured = Self.verdict(local, measured: 3e6, over: "eth1 fe80::1%eth1") { $0.minDownload = 4e6 }
        #expect(measured.reasons == [.throughputBelow], "the path has the router with its zone")
        // The speed of another one says nothing: the device promises 10 Mbit/s.
        #expect(Self.verdict(scene) { $0.minDownload = 4e6 }.passed)
        #expect(Self.verdict(scene) { $0.quality = .excellent }.reasons.contains(.unmeasured))
    }

    @Test func `a path that has just moved says nothing about the uplink that it led over`() {
        let before = Self.scene()
        var requirement = Requirement.online
        requirement.uplink = "eth0"
        let reports = before.board.reports(at: Scene.at(before.now))
        var after = before
        (after.used, after.isOnline) = (1, false)
        var facts = RequirementFacts(state: after.health, date: RequirementTests.now)
        facts.uplinks = { reports }
        #expect(requirement.evaluate(facts).passed)
    }

    @Test func `targets are probed over the path in use, and say nothing about a standby`() {
        let verdict = Self.verdict(Self.scene()) { $0.targets = ["web"] }
        #expect(verdict.reasons == [.uplinkUnknown] && verdict.recommendation().contains("targets"))
        #expect(Self.verdict(Self.scene(), of: "eth0") { $0.targets = ["web"] }.reasons == [.targetDown])
        #expect(Self.verdict(Self.scene(.silent)) { $0.targets = ["web"] }.reasons == [.noInternet])
    }

    @Test func `each obstacle has a sentence of its own`() {
        let sentences = UplinkObstacle.allCases.map(\.explanation)
        #expect(Set(sentences).count == UplinkObstacle.allCases.count && !sentences.contains { $0.hasSuffix(".") })
    }
}
