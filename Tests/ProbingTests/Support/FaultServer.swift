import Coordination
import Glibc
import Lab
import Posix

/// A server on 127.0.0.1 that answers over UDP and TCP, on the same port, as a test wants it.
final class FaultServer: Sendable {
    /// What it sends for a query: over UDP datagrams, over TCP pieces, after which it closes.
    typealias Answers = @Sendable (_ query: [UInt8]) -> [[UInt8]]

    private let sockets: FaultSockets
    private let thread: Locked<LoopThread?>

    /// Answers each query over TCP with `stream`, where that port is not to be closed, and over UDP with `datagram`.
    init(stream: Answers? = nil, datagram: @escaping Answers) throws {
        let sockets = try FaultSockets(hasStream: stream != nil)
        self.sockets = sockets
        thread = Locked(try LoopThread(name: "fault server") { sockets.serve(stream, datagram) })
    }

    deinit {
        sockets.wakeup.signal()
        thread.withLock { $0.take() }?.join()
    }

    var address: String { "127.0.0.1:\(port)" }
    var port: UInt16 { FaultSockets.port(of: sockets.datagrams.number) }
}

/// What the server's thread waits for.
final class FaultSockets: Sendable {
    let wakeup: Wakeup
    let datagrams: Descriptor
    private let connections: Locked<Descriptor?>

    init(hasStream: Bool) throws {
        wakeup = try Wakeup()
        // No other socket has it: neither that of a client over UDP, nor a listener where there shall be none.
        let port = try Loopback.closedPort()
        datagrams = try Self.open(SocketType.datagram, port: port)
        guard hasStream else {
            connections = Locked(nil)
            return
        }
        let listener = try Self.open(SocketType.stream, port: port)
        _ = listen(listener.number, 5)
        connections = Locked(listener)
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) {
            getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func open(_ type: Int32, port: UInt16) throws(SystemError) -> Descriptor {
        let opened = try Descriptor(owning: socket(AF_INET, type | O_CLOEXEC, 0), from: "socket")
        let address = SocketAddress(test: "127.0.0.1:\(port)")
        guard address.withPointer({ bind(opened.number, $0, $1) }) == 0 else {
            throw SystemError(call: "bind", code: errno)
        }
        return opened
    }

    /// Serves one query after the other until it is woken.
    func serve(_ stream: FaultServer.Answers?, _ datagram: FaultServer.Answers) {
        var waiting = [wakeup.number, datagrams.number, connections.withLock { $0?.number ?? -1 }]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            Poll.wait(for: &waiting, upTo: nil)
            if waiting[0].revents != 0 { return }
            if waiting[1].revents != 0 { serveDatagram(datagram) }
            if waiting[2].revents != 0, let stream { serveConnection(waiting[2].fd, stream) }
        }
    }

    private func serveDatagram(_ answers: FaultServer.Answers) {
        var query = [UInt8](repeating: 0, count: 2048)
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &peer) { peer in
            guard let peer = peer.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            let count = recvfrom(datagrams.number, &query, query.count, 0, peer, &length)
            guard count > 0 else { return }
            for answer in answers(Array(query[..<count])) {
                _ = sendto(datagrams.number, answer, answer.count, 0, peer, length)
            }
        }
    }

    private func serveConnection(_ listener: Int32, _ answers: FaultServer.Answers) {
        guard let connection = try? Descriptor(owning: accept(listener, nil, nil), from: "accept") else { return }
        var query = [UInt8](repeating: 0, count: 2048)
        // The query comes in one piece: loopback, and no longer than a segment.
        let count = recv(connection.number, &query, query.count, 0)
        guard count > 2 else { return }
        for answer in answers(Array(query[2..<count])) {
            _ = send(connection.number, answer, answer.count, Int32(MSG_NOSIGNAL))
        }
    }
}
