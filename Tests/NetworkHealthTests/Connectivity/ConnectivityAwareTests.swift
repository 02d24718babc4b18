import HTTPTransfer
import Posix
import Testing

@testable import NetworkHealth

@Suite(.timeLimit(.minutes(3)))
struct ConnectivityAwareTests {
    private let host = ScriptedHost(isRunning: true)
    private let log = CallLog()
    private let service: ConnectivityService

    init() {
        service = ConnectivityService(source: host) { throw SystemError(call: "test", code: 1) }
    }

    @Test func `receives each change once, even after several setups`() async {
        let observer = Observer("a", log)
        service.add(observer)
        service.add(observer)
        host.change(to: ScriptedHost.down)
        host.change(to: ScriptedHost.up)
        service.onConnectivityLost { [log] in log.add("end") }
        host.change(to: ScriptedHost.down)
        #expect(await log.first(5) == ["a restored", "a lost", "a restored", "a lost", "end"])
        withExtendedLifetime(observer) {}
    }

    @Test func `is neither retained nor called after its release, and unregistered at the next setup`() async {
        var observer: Observer? = Observer("released", log)
        if let observer { service.add(observer) }
        #expect(await log.first(1) == ["released restored"])
        weak let released = observer
        observer = nil
        // The call that was just made may hold it a moment longer.
        while released != nil { await Task.yield() }
        let other = Observer("other", log)
        #expect(service.callbackCount == 1)
        service.add(other)
        #expect(service.callbackCount == 1)
        host.change(to: ScriptedHost.down)
        #expect(await log.first(3) == ["released restored", "other restored", "other lost"])
        withExtendedLifetime(other) {}
    }

    @Test func `may be released in a callback, and remove one of its own then`() async {
        let service = service
        let id = service.onConnectivityLost { [log] in log.add("not silent") }
        var observer: Observer? = Observer("a", log) { service.removeCallback(id) }
        if let observer { service.add(observer) }
        #expect(await log.first(1) == ["a restored"])
        weak let released = observer
        observer = nil
        while released != nil { await Task.yield() }
        service.onConnectivityLost { [log] in log.add("lost") }
        host.change(to: ScriptedHost.down)
        #expect(await log.first(2) == ["a restored", "lost"])
    }
}

private final class Observer: ConnectivityAware {
    private let name: String
    private let log: CallLog
    private let onEnd: @Sendable () -> Void

    init(_ name: String, _ log: CallLog, onEnd: @escaping @Sendable () -> Void = {}) {
        (self.name, self.log, self.onEnd) = (name, log, onEnd)
    }

    deinit { onEnd() }

    func onConnectivityRestored() { log.add("\(name) restored") }
    func onConnectivityLost() { log.add("\(name) lost") }
}
