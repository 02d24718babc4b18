import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Statistics
import Testing

@testable import NetworkHealthExporter

struct HostReportTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_040)
    private static let instant = SuspendingClock.now

    /// As the container receives it, `arrival` seconds after it was taken: written and read as JSON.
    private func report(
        _ state: HealthState,
        arrival: Double = 0,
        _ change: (inout SnapshotDocument) -> Void = { _ in }
    ) throws -> HostReport? {
        var document = SnapshotDocument(state, at: Self.now)
        change(&document)
        let text = String(decoding: document.json, as: UTF8.self)
        let snapshot = try #require(JSONDocument.decode(SnapshotDocument.self, from: text))
        return HostReport(snapshot, at: Self.now + arrival, now: Self.instant)
    }

    @Test func `the type and the cost of the host's path`() throws {
        let state = HealthState.online(over: .tunnel) { path in
            path.underlay = .cellular
            (path.isExpensive, path.expensiveSource) = (true, .rule)
        }
        let found = try #require(try report(state))
        #expect(found.path == .init(device: "wg0", type: .cellular, isExpensive: true, isConstrained: false))
        #expect(found.internet == .online && found.quality == .init(estimate: .moderate))
        for name in ["", "eth0\n", String(repeating: "a", count: 65)] {
            let odd = try report(state) { $0.interfaceName = name }
            #expect(odd != nil && odd?.path.device == nil, "\(name) is the name of no device")
        }
    }

    @Test func `another container is not followed`() throws {
        #expect(try report(.online { $0.viewpoint = .container }) == nil)
    }

    @Test func `a field that the host's version does not have is unknown`() throws {
        let json = String(decoding: SnapshotDocument(.online()).json, as: UTF8.self)
        let old = json.replacing(/"(speedIsLowerBound|since)":[^,]*,/, with: "")
        #expect(!old.contains("speedIsLowerBound") && !old.contains("since"))
        #expect(JSONDocument.decode(SnapshotDocument.self, from: old)?.speedIsLowerBound == nil)
        #expect(JSONDocument.decode(SnapshotDocument.self, from: old)?.quality == "good")
    }

    @Test func `a measurement has its age, to the minute, and numbers that no link has are none`() throws {
        var state = HealthState.online()
        state.evidence.measurement = SpeedMeasurement(
            download: .megabits(93),
            upload: .megabits(20),
            measuredAt: Self.now - 3600.3
        )
        state = HealthState(path: state.path, evidence: state.evidence, timestamp: Self.now)
        let found = try #require(try report(state)?.quality)
        #expect(found.estimate == nil)
        #expect(
            found.measurement
                == SpeedMeasurement(download: .megabits(93), upload: .megabits(20), measuredAt: Self.now - 3600)
        )
        for number in [-1, 1e300] {
            let odd = try report(state) { ($0.downloadSpeedMbps, $0.uploadSpeedMbps) = (number, number) }
            #expect(odd?.quality.measurement == nil)
        }
        #expect(try report(state) { $0.measurementAgeSeconds = -5 }?.quality.measurement == nil)
        let bound = try report(state) { $0.speedIsLowerBound = true }?.quality.measurement
        #expect(bound?.download?.isLowerBound == true && bound?.upload?.isLowerBound == true)
    }

    @Test func `the latency, jitter and loss, without those that no network has`() throws {
        let good = try report(.online()) { ($0.latency, $0.jitterSeconds, $0.lossRatio) = (0.0205, 0.001, 0.25) }
        #expect(
            good?.latency
                == NetworkLatency(latency: .microseconds(20_500), jitter: .milliseconds(1), lossRatio: 0.25)
        )
        #expect(try report(.online())?.latency == nil)
        let odd = try report(.online()) { ($0.latency, $0.jitterSeconds, $0.lossRatio) = (1e300, -1, 1.5) }
        #expect(odd != nil && odd?.latency == nil)
    }

    @Test func `the faults, with their age and sentences, without those that this version does not know`() throws {
        func fault(_ location: String, _ kind: String, ago: Double = 90, evidence: [String] = ["It is silent."])
            -> FaultDocument
        {
            var document = FaultDocument(Fault(.access, .outage, since: .now, []), now: .now, date: Self.now - ago)
            (document.location, document.kind, document.evidence) = (location, kind, evidence)
            return document
        }
        let state = HealthState.online()
        let start = ContinuousClock.now
        #expect(try report(state)?.faults == nil)
        #expect(try report(state) { $0.faults = [] }?.faults?.isEmpty == true)
        let found = try #require(
            try report(state) {
                $0.faults = [
                    fault("dns", "latency"), fault("access", "loss"), fault("access", "loss", ago: 5),
                    fault("moon", "loss"), fault("dns", "mtu"), fault("link", "loss", evidence: []),
                ]
            }?.faults
        )
        #expect(found.map(\.pair) == [Fault.Pair(.access, .loss), Fault.Pair(.dns, .latency)])
        #expect(found.map { $0.observations.map(\.says) } == [["It is silent."], ["It is silent."]])
        for age in found.map({ $0.since.duration(to: .now) / .seconds(1) }) {
            #expect((89.9...92 + start.duration(to: .now) / .seconds(1)).contains(age))
        }
        let odd = try report(state) {
            let long = Array(repeating: String(repeating: "x", count: 1000), count: 100)
            $0.faults = [fault("access", "loss", ago: -60, evidence: long), fault("link", "loss", ago: 1e9)]
        }?.faults
        let sentences = odd?.last?.observations.map(\.says.count) ?? []
        #expect(odd?.count == 2 && sentences.count == 32 && sentences.max() == 400)
    }

    @Test func `the outage of the host, with times by this clock, none of which is of later nor older than a century`()
        throws
    {
        func outage(_ start: Double, _ end: Double? = nil, arrival: Double = 0) throws -> HostReport.Outage? {
            var dated = DatedOutage(.link, .link, until: end ?? start, seconds: (end ?? start) - start)
            if end == nil { dated.end = nil }
            return try report(.online(), arrival: arrival) { $0.outage = SnapshotOutage(dated) }?.outage
        }
        let now = Self.now.timeIntervalSince1970
        #expect(try report(.online())?.outage == nil)
        let ongoing = try outage(now - 12.5)
        #expect(ongoing == .init(since: Self.instant - .milliseconds(12_500), end: nil, place: .link))
        let over = try outage(now - 60, now - 4)
        #expect(over == .init(since: Self.instant - .seconds(60), end: Self.instant - .seconds(4), place: .link))
        #expect(try outage(now - 2, arrival: 1.5)?.since == Self.instant - .milliseconds(3500))
        #expect(try outage(now - 2, arrival: 3600)?.since == Self.instant - .seconds(7), "its clock is another one")
        #expect(try outage(now - 2, arrival: -3600)?.since == Self.instant - .seconds(2))
        #expect(try outage(now + 60)?.since == Self.instant)
        #expect(try outage(now - 1e10)?.since == Self.instant - .seconds(3_200_000_000))
        let strange = SnapshotOutage(DatedOutage(.link, .unknown, until: now, seconds: 1))
        #expect(try report(.online()) { $0.outage = strange }?.outage?.place == nil)
        for change: (inout SnapshotOutage) -> Void in [{ $0.startedAt = "now" }, { $0.endedAt = "never" }] {
            var odd = strange
            change(&odd)
            #expect(try report(.online()) { $0.outage = odd }?.outage == nil)
        }
    }

    @Test(
        arguments: [
            (true, "online", .online), (true, "degraded", .degraded), (true, nil, .online), (nil, "unknown", nil),
            (false, "no_internet", .noInternet), (false, "captive_portal", .captivePortal),
            (true, "tls_untrusted", .tlsUntrusted), (false, "tls_untrusted", .tlsUntrusted),
            (false, "dns_broken", .dnsBroken), (false, "no_path", .noInternet), (false, nil, .noInternet),
            (false, "of a later version", .noInternet), (true, "of a later version", .online),
        ] as [(Bool?, String?, InternetState?)]
    )
    func `the internet behind the host`(_ online: Bool?, _ state: String?, _ expected: InternetState?) throws {
        let found = try report(.online()) { ($0.online, $0.internetState) = (online, state) }
        #expect(found?.internet == expected)
        let denied: InternetCause? = online == false && expected == .tlsUntrusted ? .tlsUntrusted : nil
        #expect(found?.internetCause == denied)
    }
}
