import Foundation
import Glibc
import Lab
import Testing

extension EndToEndTests {
    /// An exporter that is killed again and again, while an application hands requests over and while they are delivered.
    @Suite(.timeLimit(.minutes(3))) struct QueueKills {
        private static let places = ["198.18.0.1:8080", "198.18.0.3:8080"]
        private static let port = 10_319
        private static let count = 1000
        private static let killsInEachPhase = 25

        /// When a process was killed: it ran before, and did not run afterwards.
        private typealias Kill = ClosedRange<Double>

        private let folder: TemporaryFolder
        private let command: [String]

        init() throws {
            folder = try TemporaryFolder()
            let hosts = Self.places.map { "{ host: \($0.prefix { $0 != ":" }), schemes: [http], ports: [8080] }" }
                .joined(
                    separator: ", "
                )
            let configuration =
                ExporterProcess.quiet + "offline_queue: { enabled: true, allowed_hosts: [\(hosts)] }\n"
            command = [
                Repository.executable, "--web.listen-address=127.0.0.1:\(Self.port)",
                "--config.file=\(try folder.write("queue.yml", configuration))",
                "--storage.path=\(folder.path)/network.db",
            ]
        }

        @Test func `1,000 requests and 50 kills: each arrives, in order, and twice only around a kill`() async throws {
            var random = SplitMix64(state: 16)
            try await withCable { host, router in
                var receivers: [Receiver] = []
                for place in Self.places {
                    try await router.ip("address add \(place.prefix { $0 != ":" })/24 dev eth0")
                    receivers.append(try await Receiver(place, in: router))
                }
                try await router.ip("link set eth0 down")
                let application = try Program(
                    host.prefix
                        + ["python3", "\(Repository.tests)/Fixtures/handover.py", "\(Self.port)", "\(Self.count)"]
                        + Self.places
                )
                var (kills, exporter) = try await kill(random: &random, in: host) { Self.lines(application.output) }
                try await poll("1,000 accepted requests", within: .seconds(60)) {
                    Self.lines(application.output) == Self.count ? true : nil
                }
                #expect(try await application.status() == 0, "\(application.errors)")
                #expect(receivers.allSatisfy { $0.count == 0 })
                try await router.ip("link set eth0 up")
                let (more, last) = try await kill(exporter, random: &random, in: host) {
                    receivers.reduce(0) { $0 + $1.count }
                }
                (kills, exporter) = (kills + more, last)
                try await poll("an empty queue", within: .seconds(60)) {
                    let url = "http://127.0.0.1:\(Self.port)/api/v1/requests"
                    // It may still be starting.
                    return (try? await HTTPResponse.of(url, prefix: host.prefix))?.body == "[]" ? true : nil
                }
                exporter.signal(SIGTERM)
                #expect(try await exporter.status() == 0, "\(exporter.errors)")
                #expect(kills.count == 2 * Self.killsInEachPhase)
                try check(receivers, kills)
                for receiver in receivers { try await receiver.stop() }
            }
        }

        /// Starts an exporter and kills it, again and again, each time after some progress; returns one more that runs.
        private func kill(
            _ first: Program? = nil,
            random: inout SplitMix64,
            in host: Namespace,
            progress: () -> Int
        ) async throws -> ([Kill], Program) {
            var kills: [Kill] = []
            var exporter = try first ?? Program(host.prefix + command)
            // The kills are spread over all requests: counted from the last one, a fast machine would run out of requests.
            let share = Self.count / (Self.killsInEachPhase + 1)
            for number in 0..<Self.killsInEachPhase {
                let target = number * share + Int.random(in: 0...share, using: &random)
                try await poll("progress before a kill; \(exporter.errors)") { progress() >= target ? true : nil }
                // At any instant.
                try await Task.sleep(for: .microseconds(Int.random(in: 0...10_000, using: &random)))
                let before = Date().timeIntervalSince1970
                exporter.signal(SIGKILL)
                try #require(try await exporter.status() == -SIGKILL)
                kills.append(before...Date().timeIntervalSince1970)
                exporter = try Program(host.prefix + command)
            }
            return (kills, exporter)
        }

        private func check(_ receivers: [Receiver], _ kills: [Kill]) throws {
            var duplicates = 0
            for (index, receiver) in receivers.enumerated() {
                let received = receiver.received
                var order: [Int] = []
                for (position, request) in received.enumerated() {
                    let number = try #require(Int(request.body))
                    guard number == order.last else {
                        order.append(number)
                        continue
                    }
                    duplicates += 1
                    let times = received[position - 1].time...request.time
                    #expect(kills.contains { $0.overlaps(times) }, "\(number) came twice without a kill: \(times)")
                }
                // Any other repetition, loss or exchange would show here.
                #expect(order == Array(stride(from: index, to: Self.count, by: Self.places.count)))
            }
            // One of each host can be on its way at a kill.
            #expect(duplicates <= Self.places.count * kills.count)
            print(
                "\(Self.count) requests, \(kills.count) kills: \(duplicates) requests arrived once more, each around a kill"
            )
        }

        private static func lines(_ text: String) -> Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }
    }
}
