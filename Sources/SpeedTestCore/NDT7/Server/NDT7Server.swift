/// The server's side of ndt7, without the HTTP server that it is part of.
package enum NDT7Server {
    /// Whether a request may become a test: the fields of the 101 to answer with, else what to answer instead.
    ///
    /// - Parameters:
    ///   - headers: of the GET for `/ndt/v7/download` or `/ndt/v7/upload`.
    ///   - query: decoded; at most 4096 bytes, and no name twice.
    /// - Returns: the fields beside the status line, `Connection: Upgrade` among them.
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

    /// Serves one test on a connection whose 101 has been sent, and blocks until it is over: a thread of its own.
    ///
    /// It ends within the limits' duration and grace. Shutting the socket down ends it at once.
    ///
    /// - Parameters:
    ///   - socket: of the connection; the caller closes it afterwards.
    ///   - received: what was read beyond the request.
    ///   - direction: seen from the client.
    ///   - limits: how much it gets.
    ///   - onBytes: told of each piece that has moved, TLS left out; false ends the test.
    package static func serve(
        socket: Int32,
        received: [UInt8],
        direction: Direction,
        limits: NDT7Limits,
        onBytes: @escaping (Direction, Int) -> Bool
    ) {
        NDT7Service(socket: socket, direction: direction, limits: limits, onBytes: onBytes).run(received)
    }
}
