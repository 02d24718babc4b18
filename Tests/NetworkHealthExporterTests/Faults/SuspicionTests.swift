import NetworkHealth
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SuspicionTests {
    private let now = ContinuousClock.now

    /// A server that was asked each 30 s: the latest ten outcomes are those of the last minutes.
    private func window(_ usual: [Double?], latest: [Double?]) -> OutcomeWindow {
        var window = OutcomeWindow()
        for (age, value) in usual.enumerated() {
            let at = now - .seconds(120 + 30 * (usual.count - age))
            window.push(value.map { .microseconds($0 * 1000) }, at: at)
        }
        for (age, value) in latest.enumerated() {
            window.push(value.map { .microseconds($0 * 1000) }, at: now - .seconds(latest.count - age))
        }
        return window
    }

    @Test func `a loss is looked into, and a rise of ten milliseconds and of three deviations`() {
        let usual: [Double?] = [20, 21, 20, 19, 20, 22, 20]
        #expect(!Suspicion.isOdd(window(usual, latest: [20, 21]), at: now))
        #expect(!Suspicion.isOdd(window(usual, latest: [29, 29]), at: now))
        #expect(Suspicion.isOdd(window(usual, latest: [31, 31]), at: now))
        #expect(Suspicion.isOdd(window(usual, latest: [20, nil]), at: now))
        let wide: [Double?] = [10, 50, 10, 50, 30, 10, 50]
        #expect(!Suspicion.isOdd(window(wide, latest: [80, 80]), at: now))
        #expect(Suspicion.isOdd(window(wide, latest: [95, 95]), at: now))
    }

    @Test func `of a server that is asked each second the last half minute decides`() {
        let usual: [Double?] = Array(repeating: 20, count: 20)
        let calm: [Double?] = Array(repeating: 20, count: 60)
        #expect(Suspicion.isOdd(window(usual, latest: calm + Array(repeating: 60, count: 16)), at: now))
        #expect(!Suspicion.isOdd(window(usual, latest: calm + Array(repeating: 60, count: 14)), at: now))
    }

    @Test func `one connection whose first packet was sent again after a second is looked into`() {
        let usual: [Double?] = [20, 21, 20, 19, 20, 22, 20]
        #expect(Suspicion.isOdd(window(usual, latest: [20, 20, 1025]), at: now))
        #expect(!Suspicion.isOdd(window(usual, latest: [20, 20, 900]), at: now))
    }

    @Test func `without a usual latency only a loss is odd`() {
        #expect(!Suspicion.isOdd(window([20, 20], latest: [90]), at: now))
        #expect(Suspicion.isOdd(window([], latest: [nil]), at: now))
    }

    @Test func `an outage and a speed test have their own pace, and a suspicion lasts two minutes`() {
        var suspicion = Suspicion()
        func mode(_ change: (inout FaultEvidence) -> Void, after seconds: Int = 0) -> HopMode {
            var evidence = FaultEvidence()
            evidence.isOnline = true
            change(&evidence)
            return suspicion.mode(evidence, hasFault: false, at: now + .seconds(seconds))
        }
        #expect(mode { _ in } == .calm)
        #expect(mode { $0.isOnline = false } == .offline)
        #expect(mode { $0.isTesting = true } == .speedTest)
        let lossy: (inout FaultEvidence) -> Void = { evidence in
            var server = FaultEvidence.Server("a", .ipv4)
            server.window = self.window([], latest: [nil])
            evidence.servers = [server]
        }
        #expect(mode(lossy) == .degraded(nil))
        #expect(mode({ _ in }, after: 119) == .degraded(nil))
        #expect(mode({ _ in }, after: 120) == .calm)
    }

    @Test func `where IPv6 alone loses packets it is looked into, else IPv4`() {
        var suspicion = Suspicion()
        func mode(_ families: AddressFamily..., after seconds: Double) -> HopMode {
            var evidence = FaultEvidence()
            evidence.isOnline = true
            evidence.servers = families.map { family in
                var server = FaultEvidence.Server("\(family)", family)
                server.window.push(nil, at: now + .seconds(seconds - 1))
                return server
            }
            return suspicion.mode(evidence, hasFault: false, at: now + .seconds(seconds))
        }
        #expect(mode(.ipv6, after: 0) == .degraded(.ipv6))
        #expect(mode(after: 60) == .degraded(.ipv6))
        #expect(mode(.ipv4, after: 61) == .degraded(nil))
        #expect(mode(.ipv6, after: 62) == .degraded(nil))
        // Another trouble.
        #expect(mode(.ipv6, after: 300) == .degraded(.ipv6))
        #expect(mode(.ipv4, after: 600) == .degraded(nil))
    }

    @Test func `checks of the internet that fail are looked into for as long as they do`() {
        var suspicion = Suspicion()
        func mode(_ state: InternetState, isSuspect: Bool = false) -> HopMode {
            var evidence = FaultEvidence()
            evidence.isOnline = true
            let verdict = InternetVerdict(state: state, evidenceAt: .now, isSuspect: isSuspect, generation: 1)
            return suspicion.mode(evidence, internet: verdict, hasFault: false, at: now)
        }
        #expect(mode(.online) == .calm)
        #expect(mode(.online, isSuspect: true) == .degraded(nil))
        #expect(mode(.online) == .calm)
        #expect(mode(.degraded) == .degraded(nil))
        #expect(mode(.online) == .degraded(nil))
    }

    @Test func `the routers show more of an outage, a loss or a delay, and nothing of a name server or a port`() {
        let shown = Fault.Pair.all.filter(\.isOnWay)
        #expect(Set(shown.map(\.kind)) == [.outage, .loss, .latency])
        #expect(!shown.contains { $0.location == .dns } && shown.contains(Fault.Pair(.access, .loss)))
    }
}
