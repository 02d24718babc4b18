import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// What the page shows, in one answer.
    @Suite(.timeLimit(.minutes(2))) struct Status {
        private struct Document: Decodable {
            struct Station: Decodable, Equatable {
                var name, state, label: String
                var detail: String?
            }

            struct Uptime: Decodable {
                var monitoredSeconds, offlineSeconds: Double
                var ratio: Double?
            }

            struct Day: Decodable {
                var date: String
                var monitoredSeconds: Double
                var offlineSeconds: [String: Double]
            }

            struct Outage: Decodable, Equatable {
                var startedAt, cause: String
                var endedAt: String?
                var seconds: Double
            }

            struct SpeedTest: Decodable {
                var canStart: Bool
                var reason: String?
                var servers: [String]
            }

            struct Requirement: Decodable {
                var requirement: String
                var passed: Bool
            }

            var summary: String
            var cause, since: String?
            var debug: Bool
            var stations: [Station]
            var uptime: [String: Uptime]
            var days: [Day]
            var outages: [Outage]
            var speedTest: SpeedTest
            var requirements: [Requirement]
            var hosts: [String]

            var states: String { stations.map(\.state).joined(separator: " ") }
        }

        private func status(_ exporter: ExporterProcess, prefix: String = "") async throws -> Document {
            let response = try await exporter.request("\(prefix)/api/v1/status")
            #expect(response.status == 200 && response.headers["content-type"] == "application/json")
            return try JSONDecoder().decode(Document.self, from: Data(response.body.utf8))
        }

        private static let configuration = """
            path: { viewpoint: host }
            internet: { enabled: false }
            gateway: { interval: 200ms }

            """

        @Test func `a pulled cable is named, counted in the uptime, and listed, also after a restart`() async throws {
            let folder = try TemporaryFolder()
            let flags = ["--storage.path=\(folder.path)/exporter.db"]
            try await withCable { host, router in
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                let first = try await ExporterProcess(flags, configuration: Self.configuration, in: host)
                try await first.waitUntilReady()
                let online = try await poll("the answer of the router") {
                    let status = try await status(first)
                    return status.states == "ok ok off off" ? status : nil
                }
                #expect(online.summary == "Online via Ethernet (eth0)." && online.cause == nil && !online.debug)
                #expect(online.stations[1].label == "198.18.0.1" && online.outages.isEmpty)
                #expect(online.requirements.first?.requirement == "online" && online.requirements.first?.passed == true)
                let reason = try #require(online.speedTest.reason)
                #expect(!online.speedTest.canStart && reason.contains("no speed-test server"), "\(reason)")
                #expect(online.hosts.isEmpty)

                try await router.ip("link set eth0 down")
                let offline = try await poll("the outage") {
                    let status = try await status(first)
                    return status.cause == nil ? nil : status
                }
                #expect(offline.cause == "link" && offline.states == "failed unknown off off")
                #expect(offline.summary.hasPrefix("The cable of eth0 is not connected"))
                let ongoing = try #require(offline.outages.first)
                #expect(offline.outages.count == 1 && ongoing.endedAt == nil)
                #expect(offline.since ?? "" >= online.since ?? "?")
                // In whole seconds, of which the other one has parts.
                let since = try Date(try #require(offline.since), strategy: .iso8601)
                let started = try Date("\(ongoing.startedAt.prefix(19))Z", strategy: .iso8601)
                #expect(abs(since.timeIntervalSince(started)) <= 1)
                // Its place is looked for while it lasts.
                let history = "/api/v1/history?kind=outages&since=30d&format=csv"
                try await poll("its place") {
                    try await first.request(history).body.contains(",link,link") ? true : nil
                }

                try await router.ip("link set eth0 up")
                let ended = try await poll("the return") {
                    let status = try await status(first)
                    return status.cause == nil ? status : nil
                }
                let outage = try #require(ended.outages.first)
                #expect(ended.outages.count == 1 && outage.endedAt != nil && outage.cause == "link")
                let csv = try await first.request(history)
                let row = try #require(csv.body.split(separator: "\r\n").last)
                #expect(row == "\(outage.startedAt),\(outage.endedAt ?? ""),\(outage.seconds),link,link")
                // Counted every five seconds.
                let day = try await poll("the whole outage in the uptime") {
                    let day = try await status(first).uptime["day"]
                    return abs((day?.offlineSeconds ?? 0) - outage.seconds) < 0.002 ? day : nil
                }
                #expect(try #require(day.ratio) < 1 && day.monitoredSeconds > day.offlineSeconds)
                first.program.signal(SIGTERM)
                _ = try await first.program.status()

                try await withExporter(
                    flags + ["--web.route-prefix=/net"],
                    configuration: Self.configuration,
                    in: host,
                    environment: ["DEBUG_MODE": "1"]
                ) { exporter in
                    let after = try await status(exporter, prefix: "/net")
                    #expect(after.outages == ended.outages && after.debug)
                    for method in ["GET", "HEAD"] {
                        let answer = try await exporter.request("/net?range=24h&x=%2F", method: method)
                        #expect(answer.status == 307 && answer.headers["location"] == "/net/?range=24h&x=%2F")
                    }
                    #expect(try await exporter.request("/net", method: "POST").status == 405)
                    #expect(try await exporter.request("/network").status == 404)
                    let month = try #require(after.uptime["month"])
                    #expect(month.monitoredSeconds >= day.monitoredSeconds)
                    #expect(abs(month.offlineSeconds - outage.seconds) < 0.002)
                    let offline = after.days.compactMap { $0.offlineSeconds["link"] }.reduce(0, +)
                    #expect(abs(offline - outage.seconds) < 0.002)
                }
            }
        }
    }
}
