import Coordination
import Posix

/// An HTTP/1 server: `bind` listens and returns the addresses, `run` serves until it is cancelled or stopped.
///
/// It has two threads: one accepts and enforces deadlines, one does HTTP and calls `.immediate` handlers; `.waiting`
/// handlers and streams run as tasks. A third one hashes passwords, where there is an access policy. It has no logger and no metrics: see the hooks of its configuration.
public final class Server: Sendable {
    private enum State {
        case new
        case bound([Listener])
        case running
    }

    private let core: ServerCore
    private let state = Locked(State.new)

    /// Throws `ListenError` when the system has no descriptor left.
    public init(configuration: Configuration, routes: [Route]) throws {
        do throws(SystemError) {
            core = try ServerCore(configuration: configuration, routes: routes)
        } catch {
            throw ListenError("cannot make an HTTP server: \(error)", errorNumber: error.code)
        }
    }

    /// Listens on every address of the configuration and returns them with the ports that the system chose.
    ///
    /// Clients can connect from then on; they are served once `run` is called. Throws `ListenError`, and then listens
    /// on none. Names are looked up, which blocks.
    @discardableResult
    public func bind() throws -> [ListenAddress] {
        var listeners: [Listener] = []
        for address in core.configuration.addresses { listeners += try Listener.open(address) }
        for number in core.configuration.adoptedDescriptors { listeners.append(try Listener.adopt(number)) }
        guard !listeners.isEmpty else { throw ListenError("no address to listen on") }
        try state.withLock { state throws(ListenError) in
            guard case .new = state else { throw ListenError("the server is already bound") }
            state = .bound(listeners)
        }
        return listeners.map(\.address)
    }

    /// Serves until the task is cancelled or `stop` is called; binds first if `bind` was not called.
    ///
    /// When it returns, every connection is closed, and no handler runs any more: those of waiting handlers and streams
    /// were cancelled, and have ended. A server runs once.
    public func run() async throws {
        if state.withLock({ if case .new = $0 { true } else { false } }) { try bind() }
        let listeners = try state.withLock { state throws(ListenError) in
            guard case .bound(let listeners) = state else { throw ListenError("the server has already been run") }
            state = .running
            return listeners
        }
        let hashing = try startHashing()
        let ended = Gate<ListenError?>()
        let thread = try LoopThread(name: "http-accept") { [core] in
            do throws(ListenError) {
                let daemon = try Daemon(core, listeners: listeners.count)
                AcceptLoop(core: core, listeners: listeners).run(daemon)
                _ = consume daemon
                ended.open(with: nil)
            } catch {
                ended.open(with: error)
            }
        }
        let error = await withTaskCancellationHandler {
            await ended.wait()
        } onCancel: {
            core.stop()
        }
        await thread.join()
        await core.tasks.join()
        core.authenticator?.stop()
        await hashing?.wait()
        if let error { throw error }
    }

    /// Starts the thread that hashes passwords, if it is needed; the gate opens at its end.
    private func startHashing() throws(SystemError) -> Gate<Void>? {
        guard let authenticator = core.authenticator else { return nil }
        let thread = try LoopThread(name: "http-passwords") { authenticator.run() }
        let ended = thread.ended
        thread.detach()
        return ended
    }

    /// Ends `run`; from any thread.
    public func stop() { core.stop() }
}
