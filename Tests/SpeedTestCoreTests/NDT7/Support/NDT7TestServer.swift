import Coordination
import Lab
import SpeedTestCore

/// The server of this package on loopback, behind a minimum of HTTP.
final class NDT7TestServer: Sendable {
    /// What it has seen.
    struct Seen {
        var targets: [String] = []
        var received = 0
        var sent = 0
        /// Tests that have ended.
        var ended = 0
    }

    private let server: RawServer
    private let seen: Locked<Seen>

    init(limits: NDT7Limits = NDT7Limits()) throws {
        let seen = Locked(Seen())
        self.seen = seen
        server = try RawServer { connection in
            let head = connection.readHead()
            guard !head.isEmpty else { return }
            Self.serve(connection, head, limits, seen)
        }
    }

    var url: String { "ws://127.0.0.1:\(server.port)/speedtest" }
    var state: Seen { seen.withLock { $0 } }
    var open: Int { server.open }

    func close() { server.close() }

    /// Answers the upgrade, and hands the connection to what is tested.
    private static func serve(_ connection: RawConnection, _ head: String, _ limits: NDT7Limits, _ seen: Locked<Seen>) {
        let lines = head.split(separator: "\r\n")
        let target = String(lines[0].split(separator: " ")[1])
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
        }
        seen.withLock { $0.targets.append(target) }
        let answer = NDT7Server.upgrade(headers: headers, query: [])
        guard case .success(let fields) = answer else { return }
        let lines101 = ["HTTP/1.1 101 Switching Protocols"] + fields.map { "\($0.name): \($0.value)" }
        connection.send(lines101.joined(separator: "\r\n") + "\r\n\r\n")
        let direction = target.contains("/download") ? Direction.download : .upload
        NDT7Server.serve(socket: connection.socket, received: [], direction: direction, limits: limits) { way, count in
            seen.withLock { seen in
                if way == .upload { seen.received += count } else { seen.sent += count }
            }
            return true
        }
        seen.withLock { $0.ended += 1 }
    }
}
