import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SnapshotDocumentTests {
    /// 5 s after the state began.
    private let taken = Date(timeIntervalSince1970: 1_700_000_005)

    @Test func `has every field, the unknown as null and the date in RFC 3339`() {
        #expect(
            String(decoding: SnapshotDocument(.online(), at: taken).json, as: UTF8.self) == """
                {"connectionType":"wifi","constrainedSource":"assumed","downloadSpeedMbps":null,\
                "expensiveSource":"assumed","faults":null,"interfaceName":"wlan0","internetState":null,"isConstrained":false,\
                "isExpensive":false,"jitterSeconds":null,"latency":null,"lossRatio":null,"measurementAgeSeconds":null,\
                "online":true,"outage":null,"quality":"good","qualitySource":"estimated","since":"2023-11-14T22:13:20Z","speedIsLowerBound":null,\
                "speedUncertaintyRatio":null,\
                "status":"connected",\
                "timestamp":"2023-11-14T22:13:25Z","underlay":null,"unsatisfiedReason":null,"uplinks":null,"uploadSpeedMbps":null,\
                "viewpoint":"host"}
                """
        )
    }

    @Test func `While a start settles the quality is unknown`() {
        let settling = HealthState(path: HealthState.offline().path, isSettling: true, timestamp: taken)
        #expect(settling.isSettling)
        let json = String(decoding: SnapshotDocument(settling, at: taken).json, as: UTF8.self)
        #expect(json.contains(#""quality":null,"qualitySource":null,"#))
        #expect(String(decoding: SnapshotDocument(.offline()).json, as: UTF8.self).contains(#""quality":"offline","#))
    }

    @Test func `has the underlying device of a tunnel, and the source of its cost`() {
        let state = HealthState.online(over: .tunnel) { path in
            path.underlay = .cellular
            path.isExpensive = true
            path.expensiveSource = .cellular
            path.isConstrained = true
            path.constrainedSource = .rule
        }
        #expect(
            String(decoding: SnapshotDocument(state, at: taken).json, as: UTF8.self) == """
                {"connectionType":"cellular","constrainedSource":"rule","downloadSpeedMbps":null,\
                "expensiveSource":"cellular","faults":null,"interfaceName":"wg0","internetState":null,"isConstrained":true,\
                "isExpensive":true,"jitterSeconds":null,"latency":null,"lossRatio":null,"measurementAgeSeconds":null,\
                "online":true,"outage":null,"quality":"moderate","qualitySource":"estimated","since":"2023-11-14T22:13:20Z","speedIsLowerBound":null,\
                "speedUncertaintyRatio":null,\
                "status":"connected",\
                "timestamp":"2023-11-14T22:13:25Z","underlay":"wwan0","unsatisfiedReason":null,"uplinks":null,"uploadSpeedMbps":null,\
                "viewpoint":"host"}
                """
        )
    }

    @Test func `a cost that is unknown is null`() {
        let state = HealthState.online { path in
            (path.viewpoint, path.expensiveSource, path.constrainedSource) = (.container, .unknown, .unknown)
        }
        let json = String(decoding: SnapshotDocument(state).json, as: UTF8.self)
        for field in [
            #""isConstrained":null,"#, #""isExpensive":null,"#, #""expensiveSource":"unknown","#,
            #""constrainedSource":"unknown","#, #""viewpoint":"container"}"#,
        ] { #expect(json.contains(field), "\(json)") }
    }

    @Test func `numbers have the digits that were measured`() {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        var path = Path(status: .satisfied)
        path.interface = .wifi
        let measurement = SpeedMeasurement(
            download: .megabits(100.0 / 3),
            upload: .megabits(10.0 / 3),
            measuredAt: date - 1.0 / 3
        )
        let state = HealthState(path: path, evidence: QualityEvidence(measurement: measurement), timestamp: date)
        let latency = NetworkLatency(
            latency: .nanoseconds(21_234_567),
            jitter: .nanoseconds(1_234_567),
            lossRatio: 1.0 / 3
        )
        let json = String(decoding: SnapshotDocument(state, latency: latency, at: date).json, as: UTF8.self)
        for field in [
            #""downloadSpeedMbps":33.333,"#, #""uploadSpeedMbps":3.3333,"#, #""latency":0.021235,"#,
            #""jitterSeconds":0.001235,"#, #""lossRatio":0.33333,"#, #""measurementAgeSeconds":0.333333,"#,
            #""speedIsLowerBound":false,"speedUncertaintyRatio":0,"#,
        ] { #expect(json.contains(field), "\(json)") }
    }

    @Test func `has the ongoing outage, else the last one, to the millisecond`() {
        var state = HealthState.offline(.linkDown)
        state.datedOutage = DatedOutage(.link, .link, until: 1_700_000_004, seconds: 3.5)
        let json = String(decoding: SnapshotDocument(state, at: taken).json, as: UTF8.self)
        #expect(
            json.contains(
                #""outage":{"cause":"link","endedAt":"2023-11-14T22:13:24.000Z","location":"link","#
                    + #""startedAt":"2023-11-14T22:13:20.500Z"},"#
            ),
            "\(json)"
        )
        state.datedOutage?.end = nil
        let ongoing = String(decoding: SnapshotDocument(state, at: taken).json, as: UTF8.self)
        #expect(ongoing.contains(#""cause":"link","endedAt":null,"#), "\(ongoing)")
    }

    @Test func `names the reason while offline`() {
        #expect(
            String(decoding: SnapshotDocument(.offline(.linkDown), at: taken).json, as: UTF8.self) == """
                {"connectionType":"unknown","constrainedSource":"assumed","downloadSpeedMbps":null,\
                "expensiveSource":"assumed","faults":null,"interfaceName":null,"internetState":null,"isConstrained":false,\
                "isExpensive":false,"jitterSeconds":null,"latency":null,"lossRatio":null,"measurementAgeSeconds":null,\
                "online":false,"outage":null,"quality":"offline","qualitySource":"estimated","since":"2023-11-14T22:13:20Z","speedIsLowerBound":null,\
                "speedUncertaintyRatio":null,\
                "status":"disconnected",\
                "timestamp":"2023-11-14T22:13:25Z","underlay":null,"unsatisfiedReason":"link_down","uplinks":null,"uploadSpeedMbps":null,\
                "viewpoint":"host"}
                """
        )
    }
}
