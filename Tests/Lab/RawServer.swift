import Coordination
import Glibc
import Posix

/// A TCP server on loopback whose every connection is handled by a closure on a thread of its own.
package final class RawServer: Sendable {
    private struct State {
        var connections: Set<Int32> = []
        var accepted = 0
        var threads: [pthread_t] = []
        var isClosed = false
    }

    package let port: UInt16
    private let listener: Int32
    private let state = Locked(State())
    private let handle: @Sendable (RawConnection) -> Void

    package init(
        ipv6: Bool = false,
        port wanted: UInt16 = 0,
        receiveBuffer: Int32? = nil,
        _ handle: @escaping @Sendable (RawConnection) -> Void
    ) throws {
        listener = socket(ipv6 ? AF_INET6 : AF_INET, SocketType.stream | O_CLOEXEC, 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        if ipv6 { setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, 4) }
        if var receiveBuffer { setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
        port = try Loopback.bind(listener, ipv6: ipv6, port: wanted)
        guard listen(listener, 512) == 0 else { throw SystemError(call: "listen", code: errno) }
        self.handle = handle
        try spawn { [self] in acceptAll() }
    }

    package var url: String { "http://127.0.0.1:\(port)/" }
    package var accepted: Int { state.withLock { $0.accepted } }
    /// Connections whose handler has not returned.
    package var open: Int { state.withLock { $0.connections.count } }

    /// Ends every connection and waits for their handlers.
    package func close() {
        let threads = state.withLock { state in
            state.isClosed = true
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            defer { state.threads = [] }
            return state.threads
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for thread in threads { pthread_join(thread, nil) }
        let late = state.withLock { $0.threads }
        for thread in late { pthread_join(thread, nil) }
        _ = Glibc.close(listener)
    }

    private func acceptAll() {
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else { return }
            let isKept = state.withLock { state in
                guard !state.isClosed else { return false }
                state.connections.insert(socket)
                state.accepted += 1
                return true
            }
            guard isKept else {
                _ = Glibc.close(socket)
                return
            }
            try? spawn { [self] in
                handle(RawConnection(socket: socket))
                state.withLock { _ = $0.connections.remove(socket) }
                _ = Glibc.close(socket)
            }
        }
    }

    private func spawn(_ body: @escaping @Sendable () -> Void) throws {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body)).toOpaque()
        let code = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            box
        )
        guard code == 0 else { throw SystemError(call: "pthread_create", code: code) }
        let started = thread
        state.withLock { $0.threads.append(started) }
    }
}

private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
