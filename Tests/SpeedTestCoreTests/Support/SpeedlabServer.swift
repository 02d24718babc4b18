import Coordination
import Glibc
import Lab
import SpeedTestCore

/// A small server of the dialect `speedlab`: what the engine needs and no more, with a rate of its own.
final class SpeedlabServer: Sendable {
    private struct State {
        var received: [String: UInt64] = [:]
        var requests: [String] = []
        /// Statuses of uploads by the rules of SpeedLabServer.
        var uploads: [String] = []
        /// When the next byte may move, by the monotonic clock.
        var due = 0.0
    }

    /// Bytes of downloads as they were sent, of uploads as they came.
    let log = TransferLog()
    private let state = Locked(State())
    private let raw = Locked<RawServer?>(nil)
    private let rate: Double?
    private let hasCounters: Bool
    /// A larger one is refused with 413.
    private let largestUpload: Int
    /// It is a SpeedLabServer, not an exporter.
    private let isSpeedLabServer: Bool

    /// With a rate, bytes a second of all connections together; nil: as fast as it goes.
    init(
        rate: Double? = nil,
        hasCounters: Bool = true,
        largestUpload: Int = .max,
        isSpeedLabServer: Bool = false
    ) throws {
        self.rate = rate
        self.hasCounters = hasCounters && !isSpeedLabServer
        self.largestUpload = isSpeedLabServer ? SpeedLabServerRules.largestBody : largestUpload
        self.isSpeedLabServer = isSpeedLabServer
        let server = try RawServer { [weak self] connection in self?.serve(connection) }
        raw.withLock { $0 = server }
    }

    var url: String { raw.withLock { "http://127.0.0.1:\($0?.port ?? 0)" } }
    /// First lines of all requests so far.
    var requests: [String] { state.withLock { $0.requests } }
    /// Statuses of the uploads that have ended, by the rules of SpeedLabServer.
    var uploads: [String] { state.withLock { $0.uploads } }
    /// Of all uploads.
    var received: UInt64 { state.withLock { $0.received.values.reduce(0, +) } }
    var open: Int { raw.withLock { $0?.open ?? 0 } }

    func close() { raw.withLock { $0.take() }?.close() }

    private func serve(_ connection: RawConnection) {
        while true {
            let head = connection.readHead()
            guard let line = head.split(separator: "\r\n").first.map(String.init) else { return }
            state.withLock { $0.requests.append(line) }
            let path = line.split(separator: " ").dropFirst().first ?? ""
            let isAlive: Bool =
                if path.hasPrefix("/ping") {
                    answer(connection, #"{"status":"pong"}"#)
                } else if path.hasPrefix("/download?size=") {
                    download(connection, UInt64(path.dropFirst(15)) ?? 0)
                } else if path.hasPrefix("/upload") {
                    upload(connection, head)
                } else if path.hasPrefix("/counters/"), hasCounters {
                    answer(connection, counters(of: String(path.dropFirst(10))))
                } else {
                    connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                }
            guard isAlive else { return }
        }
    }

    private func counters(of id: String) -> String {
        let now = TransferLog.now
        let bytes = state.withLock { $0.received[id] ?? 0 }
        return #"{"bytes":\#(bytes),"firstByteAt":1.0,"lastByteAt":\#(now)}"#
    }

    private func answer(_ connection: RawConnection, _ body: String) -> Bool {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private func download(_ connection: RawConnection, _ size: UInt64) -> Bool {
        if isSpeedLabServer, !SpeedLabServerRules.downloads.contains(size) {
            return connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let head = "HTTP/1.1 200 OK\r\nX-Congestion-Control: reno\r\nContent-Length: \(size)\r\n\r\n"
        guard connection.send(head) else { return false }
        let piece = [UInt8](repeating: 7, count: 16_384)
        var left = size
        while left > 0 {
            let count = Int(min(left, UInt64(piece.count)))
            guard connection.send(count == piece.count ? piece : Array(piece.prefix(count))) else { return false }
            left -= UInt64(count)
            log.add(count, .download)
            pace(count)
        }
        return true
    }

    private func upload(_ connection: RawConnection, _ head: String) -> Bool {
        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
        var left = field("content-length").flatMap { Int($0) } ?? 0
        guard left <= largestUpload else {
            connection.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            shutdown(connection.socket, Int32(SHUT_WR))
            connection.readAll()
            return false
        }
        let id = field("x-test-id") ?? ""
        var upload = SpeedLabServerRules.Upload(contentType: field("content-type") ?? "")
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while left > 0 {
            let count = recv(connection.socket, &buffer, min(left, buffer.count), 0)
            guard count > 0 else { return false }
            left -= count
            if isSpeedLabServer { upload.take(buffer[..<count]) }
            state.withLock { $0.received[id, default: 0] += UInt64(count) }
            log.add(count, .upload)
            pace(count)
        }
        guard isSpeedLabServer else { return answer(connection, #"{"filename":null,"size":0}"#) }
        let status = SpeedLabServerRules.status(of: upload)
        state.withLock { $0.uploads.append(status) }
        return connection.send("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n{}")
    }

    private func pace(_ count: Int) {
        guard let rate else { return }
        let now = TransferLog.now
        let due = state.withLock { state in
            state.due = max(now, state.due) + Double(count) / rate
            return state.due
        }
        usleep(UInt32((due - now) * 1e6))  // the rate of the line
    }
}
