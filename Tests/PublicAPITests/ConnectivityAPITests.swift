import Foundation
import NetworkHealth
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ConnectivityAPITests {
    private let service = ConnectivityService.shared

    /// What these tests are about happens while the host is connected.
    init() throws { try #require(service.isConnected, "needs a default route") }

    // MARK: ConnectivityService

    @Test func `the type is known while connected, and nothing has failed`() async {
        #expect(service.connectionType != nil)
        #expect(service.failure == nil)
        for await type in service.connectionTypes {
            #expect(type == service.connectionType)
            break
        }
    }

    @Test func `a callback is called once at its registration while connected, and not after its removal`() async {
        let (calls, call) = AsyncStream<String>.makeStream()
        let lost: UUID = service.onConnectivityLost { call.yield("lost") }
        let restored: UUID = service.onConnectivityRestored { call.yield("first") }
        var called = calls.makeAsyncIterator()
        #expect(await called.next() == "first")
        // The end of the next one's call is the end of the first one's time.
        service.removeCallback(restored)
        service.removeCallback(lost)
        let next = service.onConnectivityRestored { call.yield("second") }
        #expect(await called.next() == "second")
        service.removeCallback(next)
        service.removeCallback(UUID())
    }

    @Test func `one may remove itself`() async {
        let (calls, call) = AsyncStream<Void>.makeStream()
        let id = Mutex<UUID?>(nil)
        let registered = service.onConnectivityRestored { [service] in
            if let id = id.withLock({ $0 }) { service.removeCallback(id) }
            call.yield()
        }
        id.withLock { $0 = registered }
        for await _ in calls { break }
        service.removeCallback(registered)
    }

    @Test func `an object is called while it exists, and held weakly`() async {
        final class Observer: ConnectivityAware {
            let calls: AsyncStream<String>.Continuation
            init(_ calls: AsyncStream<String>.Continuation) {
                self.calls = calls
                setupConnectivityMonitoring()
            }
            func onConnectivityRestored() { calls.yield("restored") }
            func onConnectivityLost() { calls.yield("lost") }
        }
        let (calls, call) = AsyncStream<String>.makeStream()
        var observer: Observer? = Observer(call)
        #expect(await calls.first { _ in true } == "restored")
        withExtendedLifetime(observer) {}
        weak let released = observer
        observer = nil
        // The call that was just made may hold it a moment longer.
        while released != nil { await Task.yield() }
    }

    @Test func `a host that answers below 500 is reachable while connected`() async throws {
        let server = try StatusServer()
        defer { server.close() }
        for status in [200, 204, 301, 404, 499, 500, 501, 503] {
            let isReachable = await service.isHostReachable("\(server.url)/\(status)")
            #expect(isReachable == (status < 500), "\(status)")
        }
        let requests = server.requests.withLock { $0 }
        #expect(requests.allSatisfy { $0.hasPrefix("HEAD /") } && requests.count == 8)
        for url in ["http://127.0.0.1:1/", "nowhere", ""] { #expect(await !service.isHostReachable(url)) }
    }

    // MARK: NetworkMonitor

    @Test func `a monitor is disconnected until its start, and after its stop, and starts again`() async {
        let monitor = NetworkMonitor()
        for _ in 1...2 {
            #expect(monitor.status == .disconnected && !monitor.isConnected && !monitor.isOnline)
            #expect(monitor.connectionType == nil && monitor.failure == nil)
            monitor.start()
            #expect(monitor.isConnected && monitor.isOnline)
            #expect(monitor.connectionType == service.connectionType && monitor.failure == nil)
            #expect(monitor.status.isConnected == monitor.isConnected)
            monitor.stop()
        }
    }

    @Test func `each sequence begins with the current value, and ends with its task`() async {
        let monitor = NetworkMonitor.shared
        let (isReading, reading) = AsyncStream<String>.makeStream()
        let reader = Task {
            await withTaskGroup { group in
                group.addTask {
                    for await status in monitor.updates { reading.yield("status \(status)") }
                }
                group.addTask {
                    for await isOnline in monitor.connectivity { reading.yield("online \(isOnline)") }
                }
                group.addTask {
                    for await type in monitor.connectionTypes { reading.yield("type \(type?.rawValue ?? "-")") }
                }
                group.addTask {
                    for await () in monitor.connectivityRestored { reading.yield("restored") }
                }
            }
        }
        var first: Set<String> = []
        for await value in isReading {
            first.insert(value)
            if first.count == 3 { break }
        }
        #expect(
            first == [
                "status \(monitor.status)", "online \(monitor.isOnline)",
                "type \(monitor.connectionType?.rawValue ?? "-")",
            ]
        )
        reader.cancel()
        await reader.value
    }

    @Test func `a status is connected or not, and readable`() {
        let all: [NetworkStatus] = [.connected, .disconnected, .requiresConnection, .unsatisfied]
        #expect(all.map(\.isConnected) == [true, false, false, false])
        #expect(all.map(\.description) == ["connected", "disconnected", "requires connection", "unsatisfied"])
    }

    @Test func `a monitor that probes the internet is not online before its first verdict`() {
        let check = InternetChecking.Check(name: "own", url: "http://192.0.2.1/", expectation: .status(204))
        // Not started: nothing is sent.
        let monitor = NetworkMonitor(internet: .probing(checks: [check], https: [], literals: []))
        #expect(!monitor.isOnline)
        #expect(NetworkMonitor(internet: .none).status == .disconnected)
    }
}
