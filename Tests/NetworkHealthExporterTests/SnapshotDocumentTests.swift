import NetworkHealth
import NetworkPath
import Testing

@testable import NetworkHealthExporter

struct SnapshotDocumentTests {
    @Test func `has every field, the unknown as null and the date in RFC 3339`() {
        #expect(
            String(decoding: SnapshotDocument(.online()).json, as: UTF8.self) == """
                {"connectionType":"wifi","constrainedSource":"default","downloadSpeedMbps":null,\
                "expensiveSource":"default","interfaceName":"wlan0","internetState":null,"isConstrained":false,\
                "isExpensive":false,"jitterSeconds":null,"latency":null,"lossRatio":null,"measurementAgeSeconds":null,\
                "online":true,"quality":"good","qualitySource":"estimated","status":"connected",\
                "timestamp":"2023-11-14T22:13:20Z","underlay":null,"unsatisfiedReason":null,"uploadSpeedMbps":null}
                """
        )
    }

    @Test func `tells what stands below a tunnel, and who called it expensive`() {
        let state = HealthState.online(over: .tunnel) { path in
            path.underlay = .cellular
            path.isExpensive = true
            path.expensiveSource = .cellular
            path.isConstrained = true
            path.constrainedSource = .rule
        }
        #expect(
            String(decoding: SnapshotDocument(state).json, as: UTF8.self) == """
                {"connectionType":"cellular","constrainedSource":"rule","downloadSpeedMbps":null,\
                "expensiveSource":"cellular","interfaceName":"wg0","internetState":null,"isConstrained":true,\
                "isExpensive":true,"jitterSeconds":null,"latency":null,"lossRatio":null,"measurementAgeSeconds":null,\
                "online":true,"quality":"moderate","qualitySource":"estimated","status":"connected",\
                "timestamp":"2023-11-14T22:13:20Z","underlay":"wwan0","unsatisfiedReason":null,"uploadSpeedMbps":null}
                """
        )
    }

    @Test func `names the reason while offline`() {
        #expect(
            String(decoding: SnapshotDocument(.offline(.linkDown)).json, as: UTF8.self) == """
                {"connectionType":"unknown","constrainedSource":"default","downloadSpeedMbps":null,\
                "expensiveSource":"default","interfaceName":null,"internetState":null,"isConstrained":false,\
                "isExpensive":false,"jitterSeconds":null,"latency":null,"lossRatio":null,"measurementAgeSeconds":null,\
                "online":false,"quality":"offline","qualitySource":"estimated","status":"disconnected",\
                "timestamp":"2023-11-14T22:13:20Z","underlay":null,"unsatisfiedReason":"link_down","uploadSpeedMbps":null}
                """
        )
    }
}
