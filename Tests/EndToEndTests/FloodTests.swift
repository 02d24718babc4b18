import Glibc
import Testing

extension EndToEndTimingTests {
    /// More connections than the server takes, and from so many addresses that the limit in all is met.
    @Suite(.timeLimit(.minutes(2))) struct Flood {
        /// What each of the connections does.
        enum Shape: CaseIterable {
            /// Nothing.
            case idle
            /// Asks 60 times, and reads no answer.
            case pipelined
            /// Reads the beginning of an event stream and comes again, five times.
            case churn
        }

        private static let name = "network_health_exporter_http_rejected_total"

        @Test(arguments: Shape.allCases)
        func `hundreds of connections from six addresses leave a server that answers at once, and ends`(
            shape: Shape
        ) async throws {
            try await withExporter { exporter in
                let port = UInt16(exporter.port)
                let end = try await blocking { try Self.flood(port, shape) }
                // They have just been closed: at first the server may not have noticed, and refuse.
                var seconds = 0.0
                let late = try await lateness(of: "an answer", since: end) {
                    let curl = ["curl", "-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code} %{time_total}"]
                    let url = "http://127.0.0.1:\(port)/-/healthy"
                    let fields = try await run(curl + ["--max-time", "10", url]).output.split(separator: " ")
                    seconds = fields.last.flatMap { Double($0) } ?? 0
                    return fields.first == "200"
                }
                // At once, not with the next sweep, which comes once a second; without the time in which curl starts.
                #expect(late < .milliseconds(500) && seconds < 0.5, "\(late), answered in \(seconds) s")
                let samples = try await exporter.request("/metrics").samples
                let rejected = try ["total", "evicted", "streams"].map { reason in
                    try #require(samples["\(Self.name){reason=\"\(reason)\"}"].flatMap { Int($0) })
                }
                // 512 may be open, and as many wait; the others were refused, or took the place of one that was idle.
                #expect(rejected[0] + rejected[1] >= 88)
                #expect((rejected[2] > 0) == (shape == .churn))
            }
        }

        /// Makes all connections, then closes them; returns when it had.
        private static func flood(_ port: UInt16, _ shape: Shape) throws -> ContinuousClock.Instant {
            let request =
                switch shape {
                case .idle: ""
                case .pipelined: String(repeating: "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", count: 60)
                case .churn: "GET /api/v1/stream HTTP/1.1\r\nHost: x\r\n\r\n"
                }
            for _ in 0..<(shape == .churn ? 5 : 1) {
                let sockets = try (0..<(shape == .idle ? 1200 : 600)).map { try connect(to: port, from: $0 % 6 + 1) }
                for socket in sockets { send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL)) }
                // Those above the limits are refused unasked.
                wait(for: shape == .idle ? 176 : 600, of: sockets)
                for socket in sockets { close(socket) }
            }
            return .now
        }

        /// Waits until so many have an answer or its beginning; for a server that is stuck not longer than 5 s.
        private static func wait(for count: Int, of sockets: [Int32]) {
            let deadline = ContinuousClock.now + .seconds(5)
            var silent = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while sockets.count - silent.count < count, ContinuousClock.now < deadline {
                _ = Glibc.poll(&silent, nfds_t(silent.count), 1000)
                silent.removeAll { $0.revents != 0 }
            }
        }

        /// A connection from one of loopback's addresses.
        private static func connect(to port: UInt16, from host: Int) throws -> Int32 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
            let codes = [("127.0.0.\(host)", 0, bind), ("127.0.0.1", port, Glibc.connect)].map { host, port, call in
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = inet_addr(host)
                return withUnsafeBytes(of: &address) {
                    call(client, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
                }
            }
            try #require(codes == [0, 0], "errno \(errno)")
            return client
        }
    }
}
