import Coordination
import Foundation
import NetworkPath
import Probing
import Testing

@testable import NetworkHealth

@Suite(.timeLimit(.minutes(3)))
struct HealthMonitorTests {
    private let up = Path.over(.wiredEthernet)
    private let down = Path(status: .unsatisfied, unsatisfiedReason: .noRoute)

    @Test func `the prober of the internet receives each path after it is in the state`() async {
        let monitor = HealthMonitor()
        let seen = Locked<[(path: InternetPath, state: HealthState?)]>([])
        monitor.receive(.now(up, 1))
        monitor.attachInternet { path in seen.withLock { $0.append((path, monitor.states.current)) } }
        monitor.receive(.now(down, 2))
        monitor.detachInternet()
        monitor.receive(.now(up, 3))
        let reported = seen.withLock { $0 }
        #expect(reported.map(\.path) == [InternetPath(.now(up, 1)), InternetPath(.now(down, 2))])
        #expect(reported.map(\.state?.isOnline) == [.some(nil), false])
        #expect(monitor.current?.isOnline == true)
    }

    @Test func `a verdict that arrives while the path is delivered follows it`() async {
        let monitor = HealthMonitor()
        monitor.attachInternet { path in
            guard path.isSatisfied else { return }
            monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: path.generation))
        }
        let states = monitor.states.values()
        monitor.receive(.now(up, 1))
        monitor.receive(.now(down, 2))
        var online: [Bool?] = []
        for await state in states.prefix(3) { online.append(state.isOnline) }
        #expect(online == [nil, true, false])
    }

    @Test func `another thread's change is in the state at once, and is delivered in its turn`() async {
        let monitor = HealthMonitor()
        let (isTelling, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        monitor.attachInternet { _ in
            isTelling.signal()
            mayGoOn.wait()
        }
        let thread = Thread { monitor.receive(.now(Path.over(.wiredEthernet), 1)) }
        thread.start()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                isTelling.wait()
                continuation.resume()
            }
        }
        let states = monitor.states.values()
        // Were it told now, it would come before what the other thread still has to tell.
        monitor.receive(InternetVerdict(state: .captivePortal, evidenceAt: .now, generation: 1))
        #expect(monitor.current?.internet?.state == .captivePortal)
        #expect(monitor.states.current?.internet == nil)
        mayGoOn.signal()
        var reported: [InternetState?] = []
        for await state in states.prefix(2) { reported.append(state.internet?.state) }
        #expect(reported == [nil, .captivePortal])
    }

    @Test func `the changes of two threads are delivered in the order of the states`() async {
        let monitor = HealthMonitor()
        monitor.attachInternet { _ in }
        monitor.receive(.now(up, 1))
        let states = monitor.states.values()
        let reader = Task {
            var count = 0
            var last: (speed: UInt64, evidence: SuspendingClock.Instant)?
            for await state in states {
                guard let verdict = state.internet, let speed = state.path.interface?.linkSpeed else { continue }
                if let last { #expect(last.speed <= speed && last.evidence <= verdict.evidenceAt) }
                last = (speed, verdict.evidenceAt)
                count += 1
                if speed == 2000, verdict.evidenceAt == Moment.at(2000) { return count }
            }
            return 0
        }
        await withTaskGroup { group in
            group.addTask {
                for number in 1...2000 {
                    monitor.receive(.now(.over(.wiredEthernet, speed: UInt64(number)), UInt64(number)))
                }
            }
            group.addTask {
                for number in 1...2000 {
                    let state: InternetState = number.isMultiple(of: 2) ? .online : .noInternet
                    monitor.receive(InternetVerdict(state: state, evidenceAt: Moment.at(Double(number)), generation: 1))
                }
            }
        }
        #expect(await reader.value > 0)
        #expect(monitor.states.current == monitor.current)
    }

    @Test func `a second prober replaces the first, whose verdict stays`() {
        let monitor = HealthMonitor()
        let reported = Locked<[String]>([])
        monitor.receive(.now(up, 1))
        monitor.attachInternet { _ in reported.withLock { $0.append("first") } }
        monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: 1))
        monitor.attachInternet { _ in reported.withLock { $0.append("second") } }
        #expect(monitor.current?.isOnline == true)
        monitor.receive(.now(.over(.wifi), 2))
        #expect(reported.withLock { $0 } == ["first", "second", "second"])
    }

    @Test func `a released prober may read the state`() {
        let monitor = HealthMonitor()
        let ended = Locked(0)
        for _ in 1...2 {
            let asker = Asker {
                _ = monitor.current
                ended.withLock { $0 += 1 }
            }
            monitor.attachInternet { _ in withExtendedLifetime(asker) {} }
        }
        #expect(ended.withLock { $0 } == 1)
        monitor.detachInternet()
        #expect(ended.withLock { $0 } == 2)
    }

    @Test func `time that was missed is known before a state has it`() {
        let monitor = HealthMonitor()
        monitor.receive(.now(up, 1))
        #expect(monitor.gap == nil)
        monitor.expectObservation(by: SuspendingClock.now - .seconds(60))
        #expect(monitor.current?.gap == nil)
        #expect((monitor.gap?.length ?? .zero) >= .seconds(59))
    }

    @Test func `an outage is not known to last after time that was missed, as soon as somebody notices it`() {
        let monitor = HealthMonitor()
        monitor.attachInternet { _ in }
        monitor.receive(.now(up, 1))
        monitor.receive(InternetVerdict(state: .noInternet, evidenceAt: .now, generation: 1))
        monitor.expectObservation(by: SuspendingClock.now - .seconds(60))
        #expect(monitor.current?.isOnline == false && monitor.current?.outage?.isOngoing == true)
        monitor.noticeGap()
        #expect(monitor.current?.isOnline == .some(nil) && monitor.current?.outage?.isOngoing == false)
    }

    @Test func `clears the state, but keeps the prober`() {
        let monitor = HealthMonitor()
        monitor.attachInternet { _ in }
        monitor.receive(.now(up, 7))
        monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: 7))
        monitor.forget()
        #expect(monitor.current == nil && monitor.states.current == nil && monitor.snapshots.current == nil)
        #expect(monitor.statistics == nil)
        monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: 7))
        #expect(monitor.current == nil)
        monitor.receive(.now(up, 1))
        #expect(monitor.current?.status == .connected)
        #expect(monitor.current?.isOnline == .some(nil))
        monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: 7))
        #expect(monitor.current?.isOnline == .some(nil), "it is about a path of the run before")
        #expect(monitor.snapshots.current?.quality == .good)
    }

    @Test func `snapshots follow the verdict, and only where it changes them`() async {
        let monitor = HealthMonitor()
        monitor.attachInternet { _ in }
        let snapshots = monitor.snapshots.values()
        monitor.receive(.now(up, 1))
        monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: 1))
        monitor.receive(InternetVerdict(state: .captivePortal, evidenceAt: .now, generation: 1))
        monitor.receive(InternetVerdict(state: .noInternet, evidenceAt: .now, generation: 1))
        monitor.receive(InternetVerdict(state: .online, evidenceAt: .now, generation: 1))
        var qualities: [NetworkQuality] = []
        for await snapshot in snapshots.prefix(3) { qualities.append(snapshot.quality) }
        #expect(qualities == [.good, .offline, .good])
    }
}

private final class Asker: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
}
