import Locking
import Netlink
import Posix

/// Hears of captive portals that routers announce (RFC 8910); needs no privilege and no DHCP client.
package final class AdvertisementWatch: Sendable {
    /// After the kernel refused, or no thread could be had.
    private static let pause = Duration.seconds(10)

    private struct State {
        var portals = AdvertisedPortals()
        var failure: String?
    }

    private let prepareThread: @Sendable () -> Void
    private let onChange: @Sendable (CaptivePortalAdvertisement) -> Void
    private let state = Locked(State())

    /// A watch that does nothing until `run()`.
    ///
    /// - Parameters:
    ///   - prepareThread: called first on the thread: the test lab enters a network namespace with it.
    ///   - onChange: called on the thread when another portal, or none any more, is announced; must not block.
    package init(
        prepareThread: @escaping @Sendable () -> Void = {},
        onChange: @escaping @Sendable (CaptivePortalAdvertisement) -> Void = { _ in }
    ) {
        self.prepareThread = prepareThread
        self.onChange = onChange
    }

    /// The newest URI of each interface, by its index.
    package var uris: [Int32: String] { state.withLock { $0.portals.uris } }

    /// Why nothing can be heard at this moment; nil while it can.
    package var failure: String? { state.withLock { $0.failure } }

    /// Listens until the task is cancelled; one call at a time.
    package func run() async {
        while !Task.isCancelled {
            do {
                try await LoopThread.run(name: "advertisements") { self.listen($0) }
            } catch {
                fail(error)
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    // MARK: On the thread

    private func listen(_ signal: LoopSignal) {
        prepareThread()
        while !signal.isStopped {
            do {
                try hear(signal)
            } catch {
                fail(error)
                signal.wait(upTo: Self.pause)
            }
        }
    }

    /// Hears until stopped, or until the socket fails.
    private func hear(_ signal: LoopSignal) throws(NetlinkError) {
        var socket = try EventSocket.advertisements()
        state.withLock { $0.failure = nil }
        while !signal.isStopped {
            signal.wait(or: socket.number)
            var isEmpty = false
            while !isEmpty && !signal.isStopped {
                do {
                    isEmpty = try !socket.receive(take)
                } catch .system(let error) {
                    throw .system(error)
                } catch {
                    // Some messages are lost: routers repeat themselves.
                    continue
                }
            }
        }
    }

    private func take(_ event: RouteEvent) {
        if let news = state.withLock({ $0.portals.take(event) }) { onChange(news) }
    }

    private func fail(_ error: any Error) {
        state.withLock { $0.failure = "\(error)" }
    }
}
