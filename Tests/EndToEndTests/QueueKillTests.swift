import Foundation
import Glibc
import Lab
import Testing

extension EndToEndTests {
    /// An exporter that is killed again and again, while an application hands requests over and while they are delivered.
    @Suite(.timeLimit(.minutes(6))) struct QueueKills {
        private static let places = ["198.18.0.1:8080", "198.18.0.3:8080"]
        private static let port = 10_319
        private static let count = 1000
        private static let killsInEachPhase = 25

        /// The header in which a process says which of all it is: a receiver on a busy machine reads a request after its kill.
        private static let process = "x-process"

        private let folder: TemporaryFolder
        private let command: [String]

        init() throws {
            folder = try TemporaryFolder()
            let hosts = Self.places.map {
                """
                { host: \($0.prefix { $0 != ":" }), schemes: [http], ports: [8080], headers: { \(Self.process): "${PROCESS}" } }
                """
            }.joined(separator: ", ")
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
                var exporter = try start(0, in: host)
                exporter = try await kill(exporter, 0, random: &random, in: host) { Self.lines(application.output) }
                try await poll("1,000 accepted requests", within: .seconds(60)) {
                    Self.lines(application.output) == Self.count ? true : nil
                }
                #expect(try await application.status() == 0, "\(application.errors)")
                #expect(receivers.allSatisfy { $0.count == 0 })
                try await router.ip("link set eth0 up")
                exporter = try await kill(exporter, Self.killsInEachPhase, random: &random, in: host) {
                    receivers.reduce(0) { $0 + $1.count }
                }
                try await poll("an empty queue", within: .seconds(60)) {
                    let url = "http://127.0.0.1:\(Self.port)/api/v1/requests"
                    // It may still be starting.
                    return (try? await HTTPResponse.of(url, prefix: host.prefix))?.body == "[]" ? true : nil
                }
                exporter.signal(SIGTERM)
                #expect(try await exporter.status() == 0, "\(exporter.errors)")
                try check(receivers)
                for receiver in receivers { try await receiver.stop() }
            }
        }

        private func start(_ process: Int, in host: Namespace) throws -> Program {
            try Program(host.prefix + ["env", "PROCESS=\(process)"] + command)
        }

        /// Kills the exporter, which is process `first`, and starts the next one, again and again, each time after some progress.
        ///
        /// - Returns: the last one, which runs.
        private func kill(
            _ exporter: Program,
            _ first: Int,
            random: inout SplitMix64,
            in host: Namespace,
            progress: () -> Int
        ) async throws -> Program {
            var exporter = exporter
            // The kills are spread over all requests: counted from the last one, a fast machine would run out of requests.
            let share = Self.count / (Self.killsInEachPhase + 1)
            for number in 0..<Self.killsInEachPhase {
                let target = number * share + Int.random(in: 0...share, using: &random)
                try await poll("progress before a kill; \(exporter.errors)") { progress() >= target ? true : nil }
                // At any instant.
                try await Task.sleep(for: .microseconds(Int.random(in: 0...10_000, using: &random)))
                exporter.signal(SIGKILL)
                try #require(try await exporter.status() == -SIGKILL)
                exporter = try start(first + number + 1, in: host)
            }
            return exporter
        }

        private func check(_ receivers: [Receiver]) throws {
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
                    let (before, after) = (try process(received[position - 1]), try process(request))
                    #expect(before < after, "\(number) came twice without a kill, from process \(before) and \(after)")
                }
                // Any other repetition, loss or exchange would show here.
                #expect(order == Array(stride(from: index, to: Self.count, by: Self.places.count)))
            }
            // One of each host can be on its way at a kill.
            let kills = 2 * Self.killsInEachPhase
            #expect(duplicates <= Self.places.count * kills)
            print("\(Self.count) requests, \(kills) kills: \(duplicates) arrived twice, from two processes")
        }

        private func process(_ request: Receiver.Received) throws -> Int {
            try #require(request.headers[Self.process].flatMap { Int($0) })
        }

        private static func lines(_ text: String) -> Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }
    }
}
