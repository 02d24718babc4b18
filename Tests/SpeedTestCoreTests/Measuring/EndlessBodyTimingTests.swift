import Coordination
import Glibc
import Lab
import SpeedTestCore
import Statistics
import Testing

/// A server of networkquality that has no ranges: its large object never ends, and a starved machine has no window.
@Suite(.timeLimit(.minutes(1)))
struct EndlessBodyTimingTests {
    /// Sends at `rate` bytes a second over all connections, and counts the requests for the large object.
    private static func server(rate: Double, _ requests: Locked<Int>) throws -> RawServer {
        let due = Locked(0.0)
        return try RawServer { connection in
            while true {
                let head = connection.readHead()
                guard let path = head.split(separator: " ").dropFirst().first else { return }
                guard path == "/large" else {
                    let host = head.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }?.dropFirst(6) ?? ""
                    let names = [("small", "small_download"), ("large", "large_download"), ("upload", "upload")]
                    let urls = names.map { #""\#($0.1)_url":"http://\#(host)/\#($0.0)""# }.joined(separator: ",")
                    let body = path == "/small" ? "x" : #"{"version":1,"urls":{\#(urls)}}"#
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                    continue
                }
                requests.withLock { $0 += 1 }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(8 << 30)\r\n\r\n")
                let piece = [UInt8](repeating: 1, count: 20_000)
                while connection.send(piece) {
                    let now = TransferLog.now
                    let next = due.withLock { due in
                        due = max(now, due) + Double(piece.count) / rate
                        return due
                    }
                    usleep(UInt32(max(0, (next - now) * 1e6)))  // the rate of the line
                }
                return
            }
        }
    }

    @Test func `each connection carries one body until the byte limit ends the load`() async throws {
        let requests = Locked(0)
        let server = try Self.server(rate: 40e6, requests)
        defer { server.close() }
        let limit: UInt64 = 40_000_000
        let report = await runTest(server.url, .networkquality) { options in
            options.directions = [.download]
            options.byteLimit = [.download: limit]
            options.window = .seconds(3) ... .seconds(10)
        }
        let download = try #require(report.download, "\(report)")
        #expect(download.limits.contains(.dataCap) && !download.limits.contains(.server))
        #expect(requests.withLock { $0 } == download.streams)
        // The pieces that libcurl reads at once, and what was on its way on loopback.
        #expect(report.traffic.received < limit + limit / 10, "\(report.traffic)")
    }
}
