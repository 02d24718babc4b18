import Foundation
import Testing

extension EndToEndTests {
    /// Requests to places that the exporter may not, or cannot, reach.
    @Suite(.timeLimit(.minutes(1))) struct QueueAddresses {
        private static let configuration =
            ExporterProcess.quiet + """
                offline_queue:
                  enabled: true
                  allowed_hosts:
                    - { host: localhost, schemes: [http], ports: [8080] }
                    - { host: nowhere.invalid, schemes: [http], ports: [8080] }

                """

        private func post(_ url: String, to exporter: ExporterProcess) async throws -> HTTPResponse {
            try await exporter.request(
                "/api/v1/requests",
                method: "POST",
                headers: ["Content-Type: application/json"],
                body: #"{"url":"\#(url)","orderingKey":"\#(url)"}"#
            )
        }

        @Test func `a name to this host, a name without an address, a host not allowed: each is counted`() async throws
        {
            let folder = try TemporaryFolder()
            let storage = ["--storage.path=\(folder.path)/network.db"]
            try await withCable { host, router in
                // Refuses lookups at once.
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                try await withExporter(storage, configuration: Self.configuration, in: host) { exporter in
                    for url in ["http://127.0.0.1:8080/", "http://[::1]:8080/", "http://198.18.0.1:8080/"] {
                        let answer = try await post(url, to: exporter)
                        #expect(answer.status == 403 && answer.body.contains("allowed_hosts"), "\(answer.body)")
                    }
                    #expect(try await exporter.sample(#"network_health_queue_rejected_total{reason="host"}"#) == "3")
                    for (name, reason) in [("localhost", "address"), ("nowhere.invalid", "no_answer")] {
                        let answer = try await post("http://\(name):8080/", to: exporter)
                        #expect(answer.status == 202, "\(answer.body)")
                        let location = try #require(answer.headers["location"])
                        let request = try await poll("the first try to \(name)") {
                            let body = try await exporter.request(location).body
                            return body.contains(#""reason":"\#(reason)""#) ? body : nil
                        }
                        #expect(request.contains(#""attempts":0"#) && !request.contains(#""lastError":null"#))
                    }
                    let samples = try await exporter.request("/metrics").samples
                    func value(_ name: String) -> Double {
                        samples["network_health_queue_\(name)"].flatMap { Double($0) } ?? -1
                    }
                    #expect(value("forbidden_addresses_total") >= 1)
                    #expect(value("retries_total") > value("forbidden_addresses_total"))
                    #expect(value("pending_requests") == 2)
                    #expect(value(#"discarded_total{reason="host"}"#) == 0)
                }
            }
        }

        @Test(arguments: [
            ("nowhere.invalid", "other.invalid"),
            ("nowhere.invalid, schemes: [http]", "nowhere.invalid"),
            ("nowhere.invalid,", "nowhere.invalid, paths: [/v1],"),
        ])
        func `what waits, and is no longer allowed by host, scheme or path, is discarded`(old: String, new: String)
            async throws
        {
            let folder = try TemporaryFolder()
            let storage = ["--storage.path=\(folder.path)/network.db"]
            try await withCable { host, router in
                // Refuses lookups at once.
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                try await withExporter(storage, configuration: Self.configuration, in: host) { exporter async throws in
                    #expect(try await post("http://nowhere.invalid:8080/", to: exporter).status == 202)
                }
                let without = Self.configuration.replacing(old, with: new)
                try await withExporter(storage, configuration: without, in: host) { exporter in
                    try await poll("the discarded request") {
                        let name = #"network_health_queue_discarded_total{reason="host"}"#
                        return try await exporter.sample(name) == "1" ? true : nil
                    }
                    #expect(try await exporter.request("/api/v1/requests").body == "[]")
                }
            }
        }
    }
}
