import NetworkHealth
import NetworkPath
import Testing

@testable import NetworkHealthExporter

struct LocalEvaluationTests {
    private func suffices(
        _ viewpoint: Path.Viewpoint,
        cost: CostSource,
        needsCost: Bool,
        followsHost: Bool = false
    ) -> Bool {
        HealthState.online { path in (path.viewpoint, path.expensiveSource) = (viewpoint, cost) }
            .suffices(needsCost: needsCost, followsHost: followsHost)
    }

    @Test func `on a host only an answer that depends on the cost waits for NetworkManager`() {
        #expect(!suffices(.host, cost: .unknown, needsCost: true))
        #expect(suffices(.host, cost: .unknown, needsCost: false))
        for needsCost in [false, true] { #expect(suffices(.host, cost: .assumed, needsCost: needsCost)) }
    }

    @Test(arguments: [false, true])
    func `in a container the exporter of the host is awaited where there is one`(needsCost: Bool) {
        #expect(suffices(.container, cost: .unknown, needsCost: needsCost))
        #expect(!suffices(.container, cost: .unknown, needsCost: needsCost, followsHost: true))
        #expect(suffices(.container, cost: .host, needsCost: needsCost, followsHost: true))
    }

    @Test func `no answer comes before online is known`() {
        let online = HealthState.online()
        let state = HealthState(path: online.path, expectsVerdict: true, timestamp: online.timestamp)
        for needsCost in [false, true] { #expect(!state.suffices(needsCost: needsCost, followsHost: false)) }
    }
}
