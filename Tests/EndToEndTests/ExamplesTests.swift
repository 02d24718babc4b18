import Lab
import Testing

extension EndToEndTests {
    /// The sample package under `Examples`, which imports the products as a user would.
    @Suite(.timeLimit(.minutes(2))) struct Examples {
        @Test func `they measure, adapt, cache, fail and cancel as documented`() async throws {
            try await withCable { host, router in
                // On another host: a test against an address of this one counts for no uplink.
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                let flags = ["--web.listen-address=198.18.0.1:10319"]
                try await withExporter(flags, configuration: SpeedLab.serverConfiguration, in: router) { _ in
                    let url = "http://198.18.0.1:10319/speedtest"
                    let outcome = try await run(host.prefix + [Repository.examples, url], within: .seconds(60))
                    try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.output)\(outcome.errors)")
                    let lines = outcome.output.split(separator: "\n")
                    // What follows the changes is a task beside the others.
                    let (stream, others) = (
                        lines.filter { $0.hasPrefix("stream: ") }, lines.filter { !$0.hasPrefix("stream: ") }
                    )
                    #expect(
                        stream == [
                            "stream: moderate over eth0: medium pictures",
                            "stream: excellent over eth0: large pictures",
                            "stream: ended",
                        ]
                    )
                    let measured = try #require(
                        outcome.output.firstMatch(
                            of: /measure: (excellent, ([0-9]+) Mbit\/s down, [1-9][0-9]+ up, [0-9]+\.[0-9] ms)/
                        )
                    )
                    #expect(
                        others == [
                            "gate: no download, moderate instead of excellent: No recent speed measurement for this "
                                + "connection. Run a speed test, or configure a speed-test server",
                            "measure: takes some seconds each way", "measure: \(measured.1)",
                            "cache: \(measured.2) Mbit/s down, without a test",
                            "gate: the download starts, the network is excellent",
                            "errors: http://127.0.0.1:1/speedtest: there is no such server: check its address",
                            "errors: \(url)/elsewhere: this is no speed-test server", "cancel: ended at once",
                            "everything went as expected",
                        ]
                    )
                }
            }
        }

        @Test func `one program makes a TLS request through three libraries, two flavours of libcurl in one process`()
            async throws
        {
            try await withCable { host, router in
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                // The address of the certificate.
                let address = "\(FakeInternet.webIPv4):8443"
                try await router.ip("address add \(FakeInternet.webIPv4)/32 dev lo")
                let certificates = try Certificates()
                func example(_ name: String) async throws -> (status: Int32, lines: [Substring]) {
                    let folder = try TemporaryFolder()
                    let outcome = try await run(
                        host.prefix + [Repository.offlineExample, "https://\(address)", "\(folder.path)/\(name).db"],
                        within: .seconds(30)
                    )
                    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
                    return (outcome.status, outcome.output.split(separator: "\n"))
                }
                // Behind the proxy all clients are on loopback.
                let configuration = ExporterProcess.quiet + "speedtest_server: { enabled: true, allow: [loopback] }\n"
                try await withExporter(configuration: configuration, in: router) { exporter in
                    let proxy = try Nginx.proxy(at: address, to: exporter.port, certificates.own, in: router)
                    // An authority that is not known: each library refuses the certificate.
                    let refused = try await example("refused")
                    #expect(refused.status == 1 && refused.lines.first == "NetworkHealth: not reachable")
                    #expect(refused.lines.last?.hasPrefix("unexpected: ") == true, "\(refused.lines)")
                    try host.setCertificateAuthority(certificates.authority)
                    let outcome = try await example("trusted")
                    #expect(outcome.status == 0)
                    #expect(
                        outcome.lines == [
                            "NetworkHealth: reachable", "Networking: the server's network is offline",
                            "Networking: fetched 17 bytes", "OfflineQueue: queued",
                            "OfflineQueue: event delivered: 200", "everything went as expected",
                        ]
                    )
                    proxy.stop()
                }
            }
        }

        @Test func `without a server they report the error and exit with 1`() async throws {
            let outcome = try await run([
                Repository.examples, "http://127.0.0.1:\(try Loopback.closedPort())/speedtest",
            ])
            #expect(outcome.status == 1)
            #expect(outcome.output == "unexpected: The speed-test server cannot be reached\n")
        }
    }
}
