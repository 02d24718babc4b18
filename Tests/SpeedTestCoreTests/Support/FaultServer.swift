import Glibc
import Lab

/// How a server goes wrong with the load, while its pings are answered.
enum Fault: String, CaseIterable, Sendable {
    case neverAnswers, stallsMidway, resets, refuses413, busy429, unavailable503, wrongLength, oneByteASecond
    case diesHalfway, answersEarlyAndCloses, errorPage, endlessHead
}

extension RawServer {
    /// A `speedlab` server that fails so whenever load is asked of it.
    static func failing(_ fault: Fault) throws -> RawServer {
        try RawServer { connection in
            while true {
                let head = connection.readHead()
                guard !head.isEmpty else { return }
                guard head.contains(" /ping") else {
                    connection.fail(fault)
                    return
                }
                let body = #"{"status":"pong"}"#
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }
}

extension RawConnection {
    fileprivate func fail(_ fault: Fault) {
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"
        let piece = [UInt8](repeating: 1, count: 100_000)
        switch fault {
        case .neverAnswers: awaitEnd()
        case .stallsMidway:
            send(start)
            send(piece)
            awaitEnd()
        case .resets:
            send(start)
            send(piece)
            reset()
        case .refuses413: refuse("413 Content Too Large")
        case .busy429: refuse("429 Too Many Requests\r\nRetry-After: 77")
        case .unavailable503: refuse("503 Service Unavailable\r\nRetry-After: 77")
        case .wrongLength:
            send(start)
            send(piece)
        case .oneByteASecond:
            send(start)
            while send([1]), !hasEnded(within: 1000) {}
        case .diesHalfway:
            send(start)
            for _ in 0..<20 where send(piece) { usleep(50_000) }  // the pace of the server
            reset()
        case .answersEarlyAndCloses: send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        case .errorPage:
            send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nsorry")
        case .endlessHead:
            send("HTTP/1.1 200 OK\r\n")
            while send("X-More: \(String(repeating: "x", count: 1000))\r\n") {}
        }
    }

    private func refuse(_ status: String) {
        send("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        shutdown(socket, Int32(SHUT_WR))
        readAll()
    }

    /// Reads nothing, so that an upload stalls too.
    private func awaitEnd() {
        while !hasEnded(within: 60_000) {}
    }

    /// The engine ends its load by resets.
    private func hasEnded(within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: socket, events: 0, revents: 0)
        return poll(&polled, 1, milliseconds) == 1
    }
}
