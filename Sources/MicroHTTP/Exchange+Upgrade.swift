import CMicroHTTPD
import Glibc
import Posix

// How an exchange gives its connection away.
extension Exchange {
    /// The answer to a request that cannot be upgraded; nil: it can, and a place is kept for it.
    ///
    /// Its 101 may be sent later, after other connections have had their turn.
    func refusalOfUpgrade() -> Response? {
        // The client expects no other protocol (RFC 6455, 4.1; RFC 9110, 7.8).
        if request.method == .head { return answer(to: .badRequest("HEAD cannot be upgraded")) }
        if isHTTP10 { return answer(to: .badRequest("HTTP/1.0 cannot be upgraded")) }
        guard core.upgrades.reserve() else { return answer(to: .overloaded("too many upgraded connections")) }
        hasUpgradePlace = true
        return nil
    }

    /// Gives back the place that was kept, if it still is.
    func releaseUpgradePlace() {
        if hasUpgradePlace { core.upgrades.release() }
        hasUpgradePlace = false
    }

    /// Takes the upgraded socket, which a thread serves from here on.
    func takeOver(_ socket: TakenSocket, received: [UInt8]) {
        connection.enter(.upgraded, now: .now)
        // By then it has its own.
        defer { releaseUpgradePlace() }
        guard let serve else { return socket.close() }
        let upgraded = UpgradedSocket(descriptor: socket.descriptor, connection: socket.descriptor)
        core.upgrades.begin(socket) {
            upgraded.prepare()
            serve(upgraded, received)
        }
    }

    /// The same with TLS: libmicrohttpd's connection sleeps, so that threads of ours own its session until they end.
    func upgrade(
        _ session: TLSSession,
        _ headers: Headers,
        _ serve: @escaping @Sendable (UpgradedSocket, [UInt8]) -> Void
    ) -> Bool {
        guard let number = connection.openDescriptor else { return false }
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, SocketType.stream | SocketType.flags, 0, &pair) == 0 else { return false }
        // Not the connection's own, which a stop or a hang-up would wake while the session is in use.
        let suspension = Suspension()
        guard suspension.suspend(handle) else { return false }
        step = .upgraded
        connection.enter(.upgraded, now: .now)
        core.configuration.onResponse(route?.name, 101)
        let (inner, outer) = (pair[0], pair[1])
        let head = Self.head(headers)
        let isServed = core.upgrades.begin(TakenSocket(inner, suspension: suspension)) {
            let upgraded = UpgradedSocket(descriptor: outer, connection: number)
            var pump = TLSPump(session, connection: number, plain: inner, head: head)
            do throws(SystemError) {
                let thread = try LoopThread(name: "http-upgraded") {
                    upgraded.prepare()
                    serve(upgraded, [])
                    close(outer)
                }
                pump.run()
                thread.join()
            } catch {
                close(outer)
            }
        }
        releaseUpgradePlace()
        if !isServed { close(outer) }
        return true
    }

    private static func head(_ headers: Headers) -> [UInt8] {
        var head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
        for field in headers.fields { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8)
    }
}
