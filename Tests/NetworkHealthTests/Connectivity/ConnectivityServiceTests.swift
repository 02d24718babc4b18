import Coordination
import Foundation
import HTTPTransfer
import NetworkPath
import Posix
import Testing

@testable import NetworkHealth

@Suite(.timeLimit(.minutes(3)))
struct ConnectivityServiceTests {
    private let host = ScriptedHost(isRunning: true)
    private let log = CallLog()

    private func service() -> ConnectivityService {
        ConnectivityService(source: host) { throw SystemError(call: "test", code: 1) }
    }

    @Test func `calls each once when connected already, then once per change, in order`() async {
        let service = service()
        service.onConnectivityRestored { [log] in log.add("restored 1") }
        service.onConnectivityLost { [log] in log.add("lost") }
        service.onConnectivityRestored { [log] in log.add("restored 2") }
        for path in [ScriptedHost.down, ScriptedHost.down, ScriptedHost.up, .over(.cellular), ScriptedHost.down] {
            host.change(to: path)
        }
        let restored = ["restored 1", "restored 2"]
        #expect(await log.first(6) == restored + ["lost"] + restored + ["lost"])
    }

    @Test func `without a connection no callback is called until there is one`() async {
        host.change(to: ScriptedHost.down)
        let service = service()
        #expect(!service.isConnected)
        #expect(service.connectionType == nil)
        service.onConnectivityLost { [log] in log.add("lost") }
        service.onConnectivityRestored { [log] in log.add("restored") }
        host.change(to: ScriptedHost.up)
        host.change(to: ScriptedHost.down)
        #expect(await log.first(2) == ["restored", "lost"])
        host.change(to: .over(.cellular))
        #expect(service.isConnected)
        #expect(service.connectionType == .cellular)
    }

    @Test func `receives no change from before its registration`() async {
        let service = service()
        let isFirst = Locked(true)
        service.onConnectivityRestored { [log, host] in
            log.add("restored")
            // The change is there before the registrations; the service, busy here, learns of it later than both.
            guard isFirst.withLock({ $0.replaced(by: false) }) else { return }
            host.change(to: ScriptedHost.down)
            service.onConnectivityLost { log.add("late") }
            service.onConnectivityRestored { log.add("not yet") }
            host.change(to: ScriptedHost.up)
            host.change(to: ScriptedHost.down)
        }
        #expect(await log.first(4) == ["restored", "restored", "not yet", "late"])
    }

    @Test func `a removed callback is not called again`() async {
        let service = service()
        let removed = service.onConnectivityLost { [log] in log.add("removed") }
        service.onConnectivityLost { [log] in log.add("lost") }
        service.removeCallback(removed)
        service.removeCallback(removed)
        service.removeCallback(UUID())
        host.change(to: ScriptedHost.down)
        #expect(await log.first(1) == ["lost"])
        #expect(service.callbackCount == 1)
    }

    @Test func `one may remove itself, and one that comes after it in the same round`() async {
        let service = service()
        let (own, other) = (Locked(UUID()), Locked(UUID()))
        let first = service.onConnectivityLost { [log] in
            log.add("once")
            service.removeCallback(own.withLock { $0 })
            service.removeCallback(other.withLock { $0 })
        }
        own.withLock { $0 = first }
        let second = service.onConnectivityLost { [log] in log.add("never") }
        other.withLock { $0 = second }
        service.onConnectivityLost { [log] in log.add("last") }
        for path in [ScriptedHost.down, ScriptedHost.up, ScriptedHost.down] { host.change(to: path) }
        #expect(await log.first(3) == ["once", "last", "last"])
    }

    @Test func `one may register another, which is called once, after it`() async {
        let service = service()
        let isFirst = Locked(true)
        service.onConnectivityRestored { [log] in
            log.add("begin")
            if isFirst.withLock({ $0.replaced(by: false) }) { service.onConnectivityRestored { log.add("inner") } }
            log.add("end")
        }
        #expect(await log.first(3) == ["begin", "end", "inner"])
        host.change(to: ScriptedHost.down)
        host.change(to: ScriptedHost.up)
        #expect(await log.first(6) == ["begin", "end", "inner", "begin", "end", "inner"])
    }

    @Test func `ends with its last reference`() async {
        var service: ConnectivityService? = service()
        service?.onConnectivityRestored { [log] in log.add("restored") }
        #expect(await log.first(1) == ["restored"])
        weak let released = service
        service = nil
        #expect(released == nil)
        #expect(host.health.observerCount == 0)
    }

    @Test(arguments: [(200, true), (301, true), (404, true), (429, true), (499, true), (500, false), (503, false)])
    func `a host is reachable when it answers with a status below 500`(status: Int, isReachable: Bool) async {
        let transfers = ScriptedTransfers(status: status)
        let service = ConnectivityService(source: host) { transfers }
        #expect(await service.isHostReachable("http://192.0.2.1/") == isReachable)
        let request = transfers.requests.withLock { $0.last }
        #expect(request?.url == "http://192.0.2.1/")
        #expect(request?.method == .head)
        #expect(request?.timeout == .seconds(5))
        #expect(await !service.isHostReachable("refused"))
    }

    @Test func `without a connection no host is reachable, and none is asked`() async {
        host.change(to: ScriptedHost.down)
        let transfers = ScriptedTransfers(status: 200)
        let service = ConnectivityService(source: host) { transfers }
        #expect(await !service.isHostReachable("http://127.0.0.1/"))
        #expect(transfers.requests.withLock { $0.isEmpty })
    }

    @Test func `where the kernel cannot be read, a host is asked`() async {
        let host = ScriptedHost()
        host.unreadable.send("socket: Permission denied")
        let service = ConnectivityService(source: host) { ScriptedTransfers(status: 204) }
        #expect(await service.isHostReachable("http://192.0.2.1/"))
    }

    @Test func `without transfers no host is reachable`() async {
        #expect(await !service().isHostReachable("http://192.0.2.1/"))
    }
}

/// Answers with one status, and refuses one address.
private final class ScriptedTransfers: HTTPTransferring {
    let requests = Locked<[TransferRequest]>([])
    private let status: Int

    init(status: Int) { self.status = status }

    func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse {
        requests.withLock { $0.append(request) }
        if request.url == "refused" { throw TransferError(.refused, phase: .connect, message: "refused") }
        return TransferResponse(status: status)
    }
}

extension Bool {
    /// What it was, before it is `value`.
    fileprivate mutating func replaced(by value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}
