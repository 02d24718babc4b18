import Foundation
import Glibc
import Lab
import MicroHTTP
import Testing

@testable import NetworkHealthExporter

extension EndToEndTimingTests {
    /// The event stream's own server, since only inside of its process can an event be timed.
    @Suite(.timeLimit(.minutes(2))) struct Streams {
        private static let events = 600

        /// One that reads, byte by byte of the kernel's, what the server sends.
        private struct Follower {
            let socket: Int32
            var tail: [UInt8] = []
            var next = 1

            /// The numbers of the events that are whole by now, without a look at most of their bytes.
            mutating func read() -> [Int] {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return [] }
                tail += buffer[..<count]
                var numbers: [Int] = []
                var used = 0
                tail.append(0)
                tail.withUnsafeBufferPointer { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { text in
                        guard let start = text.baseAddress else { return }
                        while let end = strstr(start + used, "\n\n") {
                            if let data = strstr(start + used, "data: ") {
                                numbers.append(Int(strtol(data + 6, nil, 10)))
                            }
                            used = end + 2 - UnsafeMutablePointer(mutating: start)
                        }
                    }
                }
                tail.removeLast()
                tail.removeFirst(used)
                return numbers
            }
        }

        @Test func `a stuck reader delays none of 100 readers, and is disconnected`() async throws {
            let (usual, beside) = (try await delays(isStuck: false), try await delays(isStuck: true))
            #expect(usual.count == 100 * Self.events && beside.count == 99 * Self.events)
            func late(_ delays: [Duration]) -> Duration { delays.sorted()[delays.count * 95 / 100] }
            // One that waited for the stuck one's socket would wait for seconds.
            #expect(late(beside) < late(usual) * 10, "\(late(beside)) beside \(late(usual))")
        }

        /// How late each reader that reads has each event; the last one may be stuck.
        private func delays(isStuck: Bool) async throws -> [Duration] {
            let log = EventLog()
            var configuration = Server.Configuration(addresses: [try ListenAddress("127.0.0.1:0")])
            configuration.connectionsPerAddress = 200
            let route = Route(.get, "/s", name: "s", handler: .immediate(StreamView(log: log).answer))
            let server = try Server(configuration: configuration, routes: [route])
            let port = try server.bind()[0].port
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                defer { server.stop() }
                return try await blocking { try Self.follow(log, port: port, isStuck: isStuck) }
            }
        }

        /// Publishes events, and returns how late each reader but the stuck one had each of them.
        private static func follow(_ log: EventLog, port: UInt16, isStuck: Bool) throws -> [Duration] {
            var followers = try (0..<100).map { Follower(socket: try connect(to: port, isStuck: isStuck && $0 == 99)) }
            let reading = isStuck ? 99 : 100
            defer { for follower in followers { close(follower.socket) } }
            try block(until: "100 readers") { log.readerCount >= 100 }
            var sentAt: [ContinuousClock.Instant] = []
            var delays: [Duration] = []
            // So much that the stuck one's socket fills.
            let padding = String(repeating: "x", count: 10_000)
            let end = ContinuousClock.now + .seconds(30)
            while delays.count < reading * events, ContinuousClock.now < end {
                let isDone = sentAt.count * reading == delays.count
                if isDone, sentAt.count < events {
                    sentAt.append(.now)
                    log.publish(.transition, Array("\(sentAt.count) \(padding)".utf8))
                }
                var polled = followers.prefix(reading).map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
                poll(&polled, nfds_t(polled.count), 100)
                for index in polled.indices where polled[index].revents != 0 {
                    for number in followers[index].read() {
                        guard number == followers[index].next else { return [] }
                        followers[index].next += 1
                        delays.append(sentAt[number - 1].duration(to: .now))
                    }
                }
            }
            #expect(log.readerCount == reading)
            return delays
        }

        private static func connect(to port: UInt16, isStuck: Bool) throws -> Int32 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var small: Int32 = 4096
            if isStuck { setsockopt(client, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size)) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let code = withUnsafeBytes(of: &address) {
                Glibc.connect(client, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
            try #require(code == 0)
            let request = "GET /s HTTP/1.1\r\nHost: x\r\n\r\n"
            #expect(send(client, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count)
            return client
        }
    }
}
