import Testing

extension EndToEndTests {
    /// The pages beside `/metrics`, as a client sees them.
    @Suite(.timeLimit(.minutes(1))) struct Pages {
        @Test func `each page of the contract answers with its type`() async throws {
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                let types = [
                    "/": "text/html; charset=utf-8", "/-/healthy": "text/plain; charset=utf-8",
                    "/-/ready": "text/plain; charset=utf-8", "/config": "text/plain; charset=utf-8",
                    "/api/v1/snapshot": "application/json",
                ]
                for (path, type) in types {
                    let response = try await exporter.request(path)
                    #expect(response.status == 200, "\(path)")
                    #expect(response.headers["content-type"] == type, "\(path)")
                    #expect(response.headers["cache-control"] == "no-store", "\(path)")
                    #expect(response.headers["vary"]?.hasPrefix("Accept") == true, "\(path)")
                }
            }
        }

        @Test func `unknown paths, methods and targets are refused in the form of their neighbours`() async throws {
            try await withExporter { exporter in
                let unknownPath = try await exporter.request("/nothing")
                #expect(unknownPath.status == 404)
                let api = try await exporter.request("/api/v1/nothing")
                #expect(api.status == 404 && api.headers["content-type"] == "application/json")
                #expect(api.body.hasPrefix("{\"error\":\""))
                let method = try await exporter.request("/metrics", method: "DELETE")
                #expect(method.status == 405 && method.headers["allow"] == "GET, HEAD")
                for target in ["/%zz", "/%00", "/%ff"] { #expect(try await exporter.request(target).status == 400) }
                let twice = try await exporter.request("/health?requirement=online&requirement=online")
                #expect(twice.status == 400)
                let unknown = try await exporter.request("/health?requirement=nonsense&format=json")
                #expect(unknown.status == 400)
                #expect(
                    unknown.body
                        == #"{"error":"unknown requirement \"nonsense\"; one of: online, unmetered, basicBrowsing, imageLoading, videoStreaming, largeDownload, largeUpload, custom&quality="}"#
                )
            }
        }

        @Test func `everything moves below the route prefix and the telemetry path`() async throws {
            try await withExporter(["--web.external-url=http://h/net/", "--web.telemetry-path=/m"]) { exporter in
                let moved = try await exporter.request("/net/m").samples
                #expect(moved[#"network_health_exporter_collector_success{collector="build"}"#] == "1")
                #expect(try await exporter.request("/net/").body.contains("href=\"m\""))
                for path in ["/m", "/metrics", "/-/healthy", "/net/metrics"] {
                    #expect(try await exporter.request(path).status == 404)
                }
            }
        }

        @Test func `requests are counted by route and status, and process metrics can be left out`() async throws {
            try await withExporter(["--web.disable-exporter-metrics"]) { exporter in
                _ = try await exporter.request("/nothing")
                _ = try await exporter.request("/-/healthy")
                let scrape = try await exporter.request("/metrics")
                let name = "network_health_exporter_http_requests_total"
                #expect(scrape.samples["\(name){handler=\"unknown\",code=\"404\"}"] == "1")
                #expect(scrape.samples["\(name){handler=\"healthy\",code=\"200\"}"] == "1")
                #expect(scrape.samples["\(name){handler=\"metrics\",code=\"200\"}"] == "0")
                #expect(!scrape.body.contains("process_"))
                #expect(try await exporter.request("/metrics?name[]=network_health_connected").samples.count <= 1)
            }
        }
    }
}
