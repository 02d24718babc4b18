import Glibc
import Locking
import Posix

/// A TCP server on loopback whose every connection is handled by a closure on a thread of its own.
final class RawServer: Sendable {
    private struct State {
        var connections: Set<Int32> = []
        var accepted = 0
        var threads: [pthread_t] = []
        var isClosed = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Locked(State())
    private let handle: @Sendable (RawConnection) -> Void

    init(
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

    var url: String { "http://127.0.0.1:\(port)/" }
    var accepted: Int { state.withLock { $0.accepted } }
    /// Connections whose handler has not returned.
    var open: Int { state.withLock { $0.connections.count } }

    /// Ends every connection and waits for their handlers.
    func close() {
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

/// The server's end of a connection.
struct RawConnection: Sendable {
    let socket: Int32

    /// Reads up to the blank line after a request's head; false where the other side has gone.
    @discardableResult
    func readHead() -> String {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(socket, &byte, 1, 0) == 1 else { break }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self)
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Whether there is room for more before so many milliseconds have passed.
    func canSend(within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, milliseconds) == 1
    }

    /// Reads `count` bytes.
    func read(_ count: Int) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var left = count
        while left > 0 {
            let count = recv(socket, &buffer, min(left, buffer.count), 0)
            guard count > 0 else { return }
            left -= count
        }
    }

    /// Reads what comes until the other side closes; returns how much that was.
    @discardableResult
    func readAll() -> Int {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var total = 0
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return total }
            total += count
        }
    }

    /// Has the close send a reset instead of an end.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
}
