import CMicroHTTPD
import Coordination
import Glibc
import Posix

/// The upgraded connections, each served by its own thread.
final class UpgradeTable: Sendable {
    private struct State {
        /// By number; nil while it is being closed.
        var sockets: [UInt64: Int32?] = [:]
        /// Places that are kept for those whose 101 is on its way.
        var reserved = 0
        var nextNumber: UInt64 = 0
        var isStopping = false
    }

    private let limit: Int
    private let state = Locked(State())
    /// Signalled at each end.
    private let wakeup: Wakeup

    init(limit: Int) throws(SystemError) {
        self.limit = limit
        wakeup = try Wakeup()
    }

    /// Keeps a place for one more, until ``release()``; false where there is none.
    func reserve() -> Bool {
        state.withLock { state in
            guard state.sockets.count + state.reserved < limit, !state.isStopping else { return false }
            state.reserved += 1
            return true
        }
    }

    /// Gives back a place that was kept, whose connection has begun or never will.
    func release() { state.withLock { $0.reserved -= 1 } }

    /// Takes over a socket: `serve` runs on a new thread, then the connection is closed.
    ///
    /// - Returns: false if `serve` never runs, as the server stops or no thread is left: the connection is closed.
    @discardableResult
    func begin(_ taken: TakenSocket, serve: @escaping @Sendable () -> Void) -> Bool {
        let number: UInt64? = state.withLock { state in
            guard !state.isStopping else { return nil }
            defer { state.nextNumber += 1 }
            state.sockets[state.nextNumber] = taken.descriptor
            return state.nextNumber
        }
        guard let number else {
            taken.close()
            return false
        }
        do throws(SystemError) {
            try LoopThread(name: "http-upgraded") { [self] in
                serve()
                end(number, taken)
            }
            .detach()
            return true
        } catch {
            end(number, taken)
            return false
        }
    }

    /// Shuts down every socket and waits until their threads have released them; libmicrohttpd must not be stopped
    /// before.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            // Under the lock: a number stays this connection's own until its thread has taken it out.
            for case let socket? in state.sockets.values { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        }
        while !state.withLock({ $0.sockets.isEmpty }) {
            Poll.wait(for: wakeup.number, upTo: .seconds(1))
            wakeup.drain()
        }
    }

    private func end(_ number: UInt64, _ taken: TakenSocket) {
        state.withLock { $0.sockets[number] = .some(nil) }
        taken.close()
        state.withLock { _ = $0.sockets.removeValue(forKey: number) }
        wakeup.signal()
    }
}

/// A socket that libmicrohttpd has handed over, until it is returned.
// Sendable by proof: used by one thread at a time, and MHD_upgrade_action may be called on any.
struct TakenSocket: @unchecked Sendable {
    private enum Owner {
        case handle(OpaquePointer)
        /// With TLS the socket is one end of a pair, and libmicrohttpd's connection sleeps meanwhile.
        case suspension(Suspension)
    }

    private let owner: Owner
    let descriptor: Int32

    init(_ descriptor: Int32, handle: OpaquePointer) {
        (self.descriptor, owner) = (descriptor, .handle(handle))
    }

    init(_ descriptor: Int32, suspension: Suspension) {
        (self.descriptor, owner) = (descriptor, .suspension(suspension))
    }

    /// Returns the connection to libmicrohttpd, which closes it.
    func close() {
        switch owner {
        case .handle(let handle): _ = nhe_mhd_close_upgraded(handle)
        case .suspension(let suspension):
            Glibc.close(descriptor)
            suspension.abort()
        }
    }
}
