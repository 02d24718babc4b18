import Foundation
import Glibc
import Testing

/// What a visitor does on the page.
extension EndToEndTests.StatusPage {
    /// Two requests that wait, since their receiver refuses them for now, and asks for ten minutes until the next try.
    private func withWaitingRequests(
        _ flags: [String] = [],
        configuration: String = "",
        _ body: (_ exporter: ExporterProcess, _ host: Namespace, _ receiver: Receiver) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let flags = flags + ["--storage.path=\(folder.path)/network.db"]
        try await withCable { host, router in
            try await router.ip("address add 198.18.0.1/24 dev eth0")
            let receiver = try await Receiver("198.18.0.1:8080", in: router)
            let configuration = EndToEndTests.Queue.configuration(configuration)
            try await withExporter(flags, configuration: configuration, in: host) { exporter in
                try await exporter.waitUntilReady()
                for name in ["first", "second"] {
                    let json = #"{"url": "http://198.18.0.1:8080/503-600/\#(name)", "orderingKey": "\#(name)"}"#
                    #expect(try await EndToEndTests.Queue().post(exporter, json).status == 202)
                }
                _ = try await receiver.wait(for: 2)
                try await body(exporter, host, receiver)
            }
            try await receiver.stop()
        }
    }

    @Test func `one pending request is tried again at once, and the other one still waits`() async throws {
        try await withWaitingRequests { exporter, host, receiver in
            let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "retry", in: host)
            let names = ["first", "second"].map { "POST http://198.18.0.1:8080/503-600/\($0)" }
            #expect(try await visit.next("waiting").texts == names)
            let notes = try #require(try await visit.next("retried").texts)
            #expect(notes[0].contains("1 failed try") && notes[1].contains("2 failed tries"), "\(notes)")
            try await visit.end()
            #expect(receiver.received.map(\.path).sorted() == ["first", "second", "second"].map { "/503-600/\($0)" })
        }
    }

    @Test func `each control has its turn with the Tab key, shows the focus, and works without a mouse`() async throws {
        let speedTest = "speedtest: { servers: [{ name: lab, protocol: speedlab, url: 'http://198.18.0.1:9/' }] }"
        let flags = ["--web.enable-admin-api"]
        try await withWaitingRequests(flags, configuration: speedTest) { exporter, host, _ in
            let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "keyboard", in: host)
            let tabs = try await visit.next("tabs")
            let controls = try #require(tabs.links)
            #expect(tabs.texts == controls, "in the order of the page")
            for name in ["test", "good", "retry-all", "cancel-all", "print", "Table of days", "Metrics"] {
                #expect(controls.contains(name), "\(controls)")
            }
            #expect(controls.first == "Skip to the details" && Set(controls).count > 20)
            #expect(tabs.faults == [], "without a visible focus")
            // The link to the details, the dialog's Escape, and the row whose button is gone.
            #expect(try await visit.next("keys").texts == ["main", "cancel-all", "requests-title"])
            #expect(try await visit.next("started").text?.isEmpty == false)
            try await visit.end()
        }
    }

    @Test func `the charts have the hour, the day and the week of the history`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/network.db"
        try await withNetwork { host in
            try await withExporter(["--storage.path=\(file)"], in: host) { try await $0.waitUntilReady() }
            try await output(of: ["python3", "\(Repository.tests)/Fixtures/history.py", file])
            try await withExporter(["--storage.path=\(file)"], in: host) { exporter in
                try await exporter.waitUntilReady()
                let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "charts", in: host)
                let texts = [
                    [
                        "median 20.0 ms, highest 40.0 ms in the last hour",
                        "1 speed test, median download 100 Mbit/s in the last hour", "none in the last hour",
                    ],
                    [
                        "median 30.0 ms, highest 60.0 ms in the last day",
                        "2 speed tests, median download 100 Mbit/s in the last day", "none in the last day",
                    ],
                    [
                        "median 40.0 ms, highest 80.0 ms in the last week",
                        "3 speed tests, median download 60.0 Mbit/s in the last week",
                        "1 in the last week, 10 min in all",
                    ],
                ]
                for (index, text) in texts.enumerated() {
                    let range = try await visit.next("range")
                    #expect(range.texts == text)
                    // A dot for each speed test, and a line over the whole time.
                    #expect(range.stations == index + 1)
                    #expect(try #require(range.width) > 950)
                }
                try await visit.end()
            }
        }
    }

    @Test func `a Content-Security-Policy of the operator is sent with all answers but the page, which has its own`()
        async throws
    {
        let folder = try TemporaryFolder()
        let policy = "default-src 'none'; frame-ancestors https://portal.example.com"
        let web = try folder.write(
            "web.yml",
            "http_server_config: { headers: { Content-Security-Policy: \"\(policy)\", X-Frame-Options: deny } }\n"
        )
        try await withNetwork { host in
            try await withExporter(["--web.config.file=\(web)"], in: host) { exporter in
                try await exporter.waitUntilReady()
                let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "glance", in: host)
                let glance = try await visit.next("glance")
                #expect(glance.word == "Online" && glance.live == "Live")
                try await visit.end()
                let page = try await exporter.request("/").headers
                #expect(page["content-security-policy"]?.contains("script-src 'sha256-") == true)
                #expect(page["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
                #expect(page["x-frame-options"] == "deny")
                for path in ["/metrics", "/api/v1/status", "/nothing"] {
                    #expect(try await exporter.request(path).headers["content-security-policy"] == policy, "\(path)")
                }
            }
        }
    }
}
