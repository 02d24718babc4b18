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
            var cause, location, kind, call, sentence: String?
            var evidence: [String]?
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
                      - { url: "http://198.18.0.1:8080/faults", events: [fault], when: always, min_outage: 0s }
                    """
                )
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    try await poll("online, and a latency") {
                        let scrape = try await exporter.request("/metrics").samples
                        return scrape["network_health_online"] == "1"
                            && scrape["network_health_latency_seconds"] != nil ? true : nil
                    }
                    try await internet.cutUpstream()
                    let received = try await poll("the outage and its place", within: .seconds(40)) {
                        let received = local.received
                        let isPlaced = received.contains { $0.path == "/faults" && $0.body.contains(#""access""#) }
                        return isPlaced && received.contains { $0.path == "/always" } ? received : nil
                    }
                    let scrape = try await exporter.request("/metrics").samples
                    #expect(scrape["network_health_online"] == "0" && scrape["network_health_connected"] == "1")
                    let lost = try #require(received.first { $0.path == "/always" })
                    #expect(received.count { $0.path != "/faults" } == 1, "none waits for online")
                    let message = try JSONDecoder().decode(Message.self, from: Data(lost.body.utf8))
                    #expect(message.event == "lost" && message.cause == "no_internet")
                    #expect(message.snapshot.internetState == "no_internet")
                    #expect(message.snapshot.latency.map { $0 > 0 } == true, "\(lost.body)")
                    let last = try #require(received.last { $0.path == "/faults" })
                    let fault = try JSONDecoder().decode(Message.self, from: Data(last.body.utf8))
                    #expect(fault.event == "fault" && fault.location == "access" && fault.kind == "outage")
                    #expect(fault.call == "check modem and cables, then call the provider", "\(last.body)")
                    #expect(fault.evidence?.isEmpty == false && fault.sentence?.hasPrefix("No connection") == true)
                    let shown = #"network_health_fault{location="access",kind="outage"}"#
                    #expect(try await exporter.sample(shown) == "1", "the metric and the webhook say the same")
                    #expect(remote.received.isEmpty)
                }
                try await local.stop()
                try await remote.stop()
            }
        }
    }
}
