/// The server's side of ndt7, without its HTTP server.
package enum NDT7Server {
    /// Checks whether a request may become a test.
    ///
    /// - Parameters:
    ///   - headers: of the GET for `/ndt/v7/download` or `/ndt/v7/upload`.
    ///   - query: decoded; at most 4096 bytes, and no name twice.
    /// - Returns: the fields of the 101, including `Connection: Upgrade`; else the response instead.
    package static func upgrade(
        headers: [(name: String, value: String)],
        query: [(name: String, value: String)]
    ) -> Result<[(name: String, value: String)], WebSocketHandshake.Refusal> {
        let names = query.map(\.name)
        guard Set(names).count == names.count,
            query.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 }) <= 4096
        else {
            return .failure(.init(status: 400, message: "the query is longer than 4096 bytes, or repeats a name"))
        }
        guard query.allSatisfy({ $0.name != "early_exit" || $0.value == "250" }) else {
            return .failure(.init(status: 400, message: "early_exit can only be 250"))
        }
        return Result { () throws(WebSocketHandshake.Refusal) in
            try WebSocketHandshake.answer(to: headers, subprotocol: NDT7.subprotocol)
        }
    }

    /// Serves one test on a connection whose 101 has been sent, and blocks its thread until the end.
    ///
    /// It ends within the limits' duration and grace. Shutting the socket down ends it at once.
    ///
    /// - Parameters:
    ///   - socket: what is read and written; the caller closes it afterwards.
    ///   - connection: the TCP connection, where `socket` leads to it through TLS; nil: `socket` itself.
    ///   - received: what was read beyond the request.
    ///   - direction: seen from the client.
    ///   - limits: the limits of the test.
    ///   - onBytes: called with the bytes of each piece, without TLS; false ends the test.
    package static func serve(
        socket: Int32,
        connection: Int32? = nil,
        received: [UInt8],
        direction: Direction,
        limits: NDT7Limits,
        onBytes: @escaping (Direction, Int) -> Bool
    ) {
        NDT7Service(
            socket: socket,
            connection: connection ?? socket,
            direction: direction,
            limits: limits,
            onBytes: onBytes
        )
        .run(received)
    }
}

/// The limits of one ndt7 test.
package struct NDT7Limits: Sendable, Equatable {
    /// From the handshake to the server's Close; ten seconds in the protocol.
    package var duration = NDT7.nominalDuration
    /// How much longer the connection may last, for bytes in flight and the client's Close.
    package var grace = Duration.seconds(3)
    /// Bytes of load; nil: no limit.
    package var bytes: UInt64?
    /// The maximum time without a byte from or to the client.
    package var silence = Duration.seconds(7)
    /// TCP_CONGESTION of the connection; nil, or unknown to the kernel: the system default.
    package var congestionControl: String?

    package init() {}

    /// The same, or less where the client requests it: `early_exit=250` ends a download after so many megabytes.
    package func applying(query: [(name: String, value: String)], direction: Direction) -> Self {
        guard direction == .download, query.contains(where: { $0 == ("early_exit", "250") }) else { return self }
        var limits = self
        limits.bytes = min(bytes ?? .max, 250_000_000)
        return limits
    }
}
