import Coordination
import Glibc
import Lab
import SpeedTestCore

/// How a server breaks every body of the load, at the rate of a line, so that the byte limit may end the load first.
enum BrokenLoad: String, CaseIterable, Sendable {
    /// Downloads that end after 1 MB, or half of what was asked for, with a length, in chunks, and with neither.
    case cutsLength, cutsChunks, cutsClosing
    /// Downloads and uploads that are reset after 1 MB.
    case resets
    /// Uploads that are read whole and then refused.
    case refuses413, refuses415
    /// A download that is an endless page, with a status of success and of an error.
    case page, errorPage
    /// Uploads of more than 100 kB are refused after they were read.
    case refusesLarge415

    var directions: [Direction] {
        switch self {
        case .cutsLength, .cutsChunks, .cutsClosing, .page, .errorPage: [.download]
        case .resets: [.download, .upload]
        case .refuses413, .refuses415, .refusesLarge415: [.upload]
        }
    }

    var reason: SpeedTestFailure.Reason {
        switch self {
        case .cutsLength, .cutsChunks, .cutsClosing: .short
        case .resets: .reset
        case .refuses413, .refuses415, .refusesLarge415, .page, .errorPage: .status
        }
    }
}

/// A server of the dialect `speedlab` whose pings work.
final class BrokenLoadServer: Sendable {
    private static let cut = 1_000_000

    /// When the next byte may move, by the monotonic clock.
    private let due = Locked(0.0)
    private let rate: Double
    private let raw = Locked<RawServer?>(nil)

    /// With a rate in bytes a second, of all connections together.
    init(_ broken: BrokenLoad, rate: Double) throws {
        self.rate = rate
        let server = try RawServer { [weak self] connection in self?.serve(connection, broken) }
        raw.withLock { $0 = server }
    }

    var url: String { raw.withLock { "http://127.0.0.1:\($0?.port ?? 0)" } }

    func close() { raw.withLock { $0.take() }?.close() }

    private func serve(_ connection: RawConnection, _ broken: BrokenLoad) {
        while true {
            let head = connection.readHead()
            guard let path = head.split(separator: " ").dropFirst().first else { return }
            if path.hasPrefix("/upload") {
                guard receive(connection, head, broken) else { return }
            } else if path.hasPrefix("/download") {
                return send(connection, asked: Int(path.drop { $0 != "=" }.dropFirst()) ?? 0, broken)
            } else {
                let body = #"{"status":"pong"}"#
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    private func send(_ connection: RawConnection, asked: Int, _ broken: BrokenLoad) {
        let (framing, isEndless): (String, Bool) =
            switch broken {
            case .cutsChunks: ("Transfer-Encoding: chunked\r\n\r\n\(String(1 << 40, radix: 16))\r\n", false)
            case .cutsClosing: ("Connection: close\r\n\r\n", false)
            case .page, .errorPage: ("Content-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n", true)
            default: ("Content-Length: \(max(asked, 2 * Self.cut))\r\n\r\n", false)
            }
        connection.send("HTTP/1.1 \(broken == .errorPage ? "404 Not Found" : "200 OK")\r\n\(framing)")
        let piece = [UInt8](repeating: 1, count: 20_000)
        var sent = 0
        while isEndless || sent < min(Self.cut, asked / 2), connection.send(piece) {
            sent += piece.count
            pace(piece.count)
        }
        if broken == .resets { connection.reset() }
    }

    /// Returns whether the connection continues.
    private func receive(_ connection: RawConnection, _ head: String, _ broken: BrokenLoad) -> Bool {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
        let length = line.flatMap { Int($0.dropFirst(16)) } ?? 0
        let wanted = broken == .resets ? min(length, Self.cut) : length
        var buffer = [UInt8](repeating: 0, count: 20_000)
        var received = 0
        while received < wanted {
            let count = recv(connection.socket, &buffer, min(wanted - received, buffer.count), 0)
            guard count > 0 else { return false }
            received += count
            pace(count)
        }
        switch broken {
        case .resets: connection.reset()
        case .refuses413: return connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        case .refusesLarge415 where length <= 100_000:
            return connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        default: return connection.send("HTTP/1.1 415 Unsupported Media Type\r\nContent-Length: 0\r\n\r\n")
        }
        return false
    }

    private func pace(_ count: Int) {
        let now = TransferLog.now
        let due = due.withLock { due in
            due = max(now, due) + Double(count) / rate
            return due
        }
        usleep(UInt32(max(0, (due - now) * 1e6)))  // the rate of the line
    }
}
