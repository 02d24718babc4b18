import Foundation
import Testing

extension EndToEndTests {
    /// Webhooks behind a router whose way to the internet is cut.
    @Suite(.timeLimit(.minutes(2))) struct Webhooks {
        private struct Message: Decodable {
            struct Snapshot: Decodable {
                var internetState: String?
                var latency: Double?
            }

            var event: String
            var cause: String?
            var snapshot: Snapshot
        }

        @Test func `a receiver in the local network gets lost during the outage of the internet`() async throws {
            try await withInternet { internet in
                let local = try await Receiver("198.18.0.1:8080", in: internet.router)
                let remote = try await Receiver("198.18.10.1:8080", in: internet.internet)
                let configuration = FakeInternet.configuration(
                    """
                    webhooks:
                      - { url: "http://198.18.0.1:8080/always", events: [lost], when: always, min_outage: 0s }
                      - { url: "http://198.18.0.1:8080/online", events: [lost], when: online, min_outage: 0s }
                      - { url: "http://198.18.10.1:8080/always", events: [lost], when: always, min_outage: 0s }
                    """
                )
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    try await poll("online, and a latency") {
                        let scrape = try await exporter.request("/metrics").samples
                        return scrape["network_health_online"] == "1"
                            && scrape["network_health_latency_seconds"] != nil ? true : nil
                    }
                    try await internet.cutUpstream()
                    let received = try await local.wait(for: 1, within: .seconds(30))
                    let scrape = try await exporter.request("/metrics").samples
                    #expect(scrape["network_health_online"] == "0" && scrape["network_health_connected"] == "1")
                    #expect(received.map(\.path) == ["/always"])
                    let message = try JSONDecoder().decode(Message.self, from: Data(received[0].body.utf8))
                    #expect(message.event == "lost" && message.cause == "no_internet")
                    #expect(message.snapshot.internetState == "no_internet")
                    #expect(message.snapshot.latency.map { $0 > 0 } == true, "\(received[0].body)")
                    #expect(remote.received.isEmpty)
                }
                try await local.stop()
                try await remote.stop()
            }
        }
    }
}
