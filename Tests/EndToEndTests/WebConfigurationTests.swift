import Foundation
import Lab
import Testing

extension EndToEndTests {
    /// `--web.config.file` and `--web.health-listen-address`, with curl and Debian's Prometheus.
    @Suite(.timeLimit(.minutes(2))) struct WebConfiguration {
        /// Of `secret`.
        private static let users =
            "basic_auth_users: { alice: '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW' }\n"
        private let folder: TemporaryFolder
        private let authority: TestAuthority
        private let server: TestAuthority.Identity
        private let client: TestAuthority.Identity

        init() throws {
            folder = try TemporaryFolder()
            authority = try TestAuthority()
            server = try authority.sign("server")
            client = try authority.sign("client", for: "DNS:scraper.test")
        }

        private func tls(_ more: String = "") -> String {
            "tls_server_config: { cert_file: '\(server.certificate)', key_file: '\(server.key)'\(more) }\n"
        }

        private var clientCertificates: String {
            ", client_ca_file: '\(authority.certificate)', client_auth_type: RequireAndVerifyClientCert"
                + ", client_allowed_sans: [scraper.test]"
        }

        private func with(
            _ text: String,
            _ arguments: [String] = [],
            _ body: (ExporterProcess) async throws -> Void
        ) async throws {
            try await withExporter(["--web.config.file=\(try folder.write("web.yml", text))"] + arguments, body)
        }

        /// The status of a request by curl; 0 where there is no answer.
        private func status(
            _ exporter: ExporterProcess,
            _ arguments: [String],
            path: String = "/metrics"
        ) async throws -> Int {
            let curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "*", "--max-time", "10"]
            let scheme = exporter.log.contains("TLS is enabled.") ? "https" : "http"
            let outcome = try await run(curl + arguments + ["\(scheme)://localhost:\(exporter.port)\(path)"])
            return Int(outcome.output) ?? 0
        }

        @Test func `curl is answered with the right authority, version, certificate, name and password only`()
            async throws
        {
            let other = try authority.sign("other", for: "DNS:other.test")
            let stranger = try TestAuthority()
            let foreign = try stranger.sign("foreign", for: "DNS:scraper.test")
            try await with(tls(clientCertificates) + Self.users) { (exporter) throws in
                #expect(exporter.log.contains("msg=\"TLS is enabled.\" http2=false"))
                func arguments(
                    ca: String? = nil,
                    _ identity: TestAuthority.Identity?,
                    _ password: String?,
                    _ more: [String] = []
                ) -> [String] {
                    ["--cacert", ca ?? authority.certificate] + more
                        + (identity.map { ["--cert", $0.certificate, "--key", $0.key] } ?? [])
                        + (password.map { ["--user", "alice:\($0)"] } ?? [])
                }
                #expect(try await status(exporter, arguments(client, "secret")) == 200)
                #expect(try await status(exporter, arguments(client, "secret"), path: "/-/healthy") == 200)
                #expect(try await status(exporter, arguments(client, "wrong")) == 401)
                #expect(try await status(exporter, arguments(client, nil)) == 401)
                #expect(try await status(exporter, arguments(client, nil), path: "/-/healthy") == 401)
                #expect(try await status(exporter, arguments(nil, "secret")) == 0)
                #expect(try await status(exporter, arguments(other, "secret")) == 0)
                #expect(try await status(exporter, arguments(foreign, "secret")) == 0)
                #expect(try await status(exporter, arguments(ca: stranger.certificate, client, "secret")) == 0)
                let old = ["--tlsv1.0", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"]
                #expect(try await status(exporter, arguments(client, "secret", old)) == 0)
            }
        }

        @Test func `Prometheus scrapes over TLS with a password and with a certificate`() async throws {
            try await with(tls() + Self.users) { open in
                let closed = try folder.write("closed.yml", tls(clientCertificates))
                try await withExporter(["--web.config.file=\(closed)"]) { closed in
                    let text = """
                          - job_name: JOB
                            scheme: https
                            scrape_interval: 1s
                            scrape_timeout: 1s
                            static_configs: [{ targets: ["localhost:PORT"] }]
                            tls_config: { ca_file: \(authority.certificate) MORE }

                        """
                    func job(_ name: String, _ port: Int, _ more: String) -> String {
                        text.replacing("JOB", with: name).replacing("PORT", with: "\(port)").replacing(
                            "MORE",
                            with: more
                        )
                    }
                    let identity = ", cert_file: \(client.certificate), key_file: \(client.key)"
                    let prometheus = try await PrometheusServer(
                        configuration: "scrape_configs:\n" + job("password", open.port, "")
                            + "    basic_auth: { username: alice, password: secret }\n"
                            + job("certificate", closed.port, identity) + job("stranger", closed.port, "")
                            + job("nobody", open.port, "")
                    )
                    let (up, down) = (["certificate", "password"], ["nobody", "stranger"])
                    try await poll("a scrape of each kind") {
                        let values = try await prometheus.query("up")
                        func jobs(_ number: String) -> [String] {
                            values.filter { $0.number == number }.compactMap { $0.metric["job"] }.sorted()
                        }
                        return jobs("1") == up && jobs("0") == down ? true : nil
                    }
                    #expect(try await prometheus.query("network_health_connected").count == 2)
                    #expect(try await prometheus.lastError().contains("status 401"))
                    #expect(try await prometheus.stop() == 0)
                }
            }
        }

        @Test func `no scrape fails while certificates are replaced`() async throws {
            let identities = try (0..<4).map { try authority.sign("next\($0)") }
            try await with(tls()) { exporter in
                let url = "https://localhost:\(exporter.port)/metrics"
                // A handshake for each request: `--no-keepalive` does not prevent reuse, a header does.
                let curl = [
                    "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}\n", "--noproxy", "*", "--max-time", "10",
                ]
                var rotations = 0
                // Until there were enough beside requests, whichever of the two a busy machine has slowed down.
                repeat {
                    let loads = try (0..<2).map { _ in
                        try Program(
                            curl + [
                                "--cacert", authority.certificate, "-H", "Connection: close", "--rate", "6000/m",
                                "\(url)?n=[1-50]",
                            ]
                        )
                    }
                    while loads.contains(where: \.isRunning) {
                        try identities[rotations % identities.count].replace(server)
                        rotations += 1
                        try await Task.sleep(for: .milliseconds(20))  // the pace of the rotations
                    }
                    for load in loads {
                        #expect(try await load.status() == 0, "\(load.errors)")
                        #expect(load.output.split(separator: "\n") == Array(repeating: "200", count: 50))
                    }
                } while rotations <= 10
            }
        }

        @Test func `a file that turns bad answers 500, and recovers`() async throws {
            try await with(Self.users) { exporter in
                let login = ["--user", "alice:secret"]
                #expect(try await status(exporter, login) == 200)
                try folder.write("web.yml", "basic_auth_users: { alice: secret }\n")
                #expect(try await status(exporter, login) == 500)
                try folder.write("web.yml", "http_server_config: { headers: { X-Frame-Options: deny } }\n")
                #expect(try await exporter.request("/").headers["x-frame-options"] == "deny")
                #expect(
                    exporter.log.contains("Web configuration unusable: ") && !exporter.log.contains("alice: secret")
                )
                #expect(exporter.log.contains("Web configuration read again"))
            }
        }

        @Test(arguments: [
            "tls_server_config: { cert_file: missing.crt, key_file: missing.key }", "rate_limit: { interval: 1s }",
            "basic_auth_users: { alice: secret }",
        ])
        func `a file that cannot be used prevents the start, and fails the check`(text: String) async throws {
            let file = try folder.write("web.yml", text)
            for arguments in [["--web.listen-address=127.0.0.1:0"], ["--config.check"]] {
                let outcome = try await run([Repository.executable, "--web.config.file=\(file)"] + arguments)
                #expect(outcome.status == 1 && outcome.errors.contains("\(file):1: "), "\(outcome)")
            }
        }

        @Test func `the health listener answers without a password, and nothing else`() async throws {
            let port = try Loopback.closedPort()
            try await with(tls() + Self.users, ["--web.health-listen-address=127.0.0.1:\(port)"]) { exporter in
                func status(_ path: String) async throws -> Int {
                    try await HTTPResponse.of("http://127.0.0.1:\(port)\(path)").status
                }
                try await poll("the first evaluation") { try await status("/-/ready") == 200 ? true : nil }
                #expect(try await status("/-/healthy") == 200)
                #expect([200, 503].contains(try await status("/health?requirement=online&wait=1ms")))
                for path in ["/metrics", "/", "/config", "/api/v1/snapshot", "/speedtest/ping"] {
                    #expect(try await status(path) == 404)
                }
                let environment = ["NHE_WEB_HEALTH_LISTEN_ADDRESS": "127.0.0.1:\(port)"]
                let healthy = try await run([Repository.executable, "healthcheck"], environment: environment)
                #expect(healthy.status == 0 && healthy.output == "Healthy\n")
            }
        }

        @Test func `healthcheck, check and requests reach it with an authority and a password`() async throws {
            let storage = "--storage.path=\(folder.path)/nhe.db"
            let configuration = try folder.write(
                "config.yml",
                ExporterProcess.quiet + "offline_queue: { enabled: true }\n"
            )
            try await with(tls() + Self.users, ["--config.file=\(configuration)", storage]) { exporter in
                let file = try folder.write("client.yml", "basic_auth: { username: alice, password: secret }\n")
                let url = "--url=https://localhost:\(exporter.port)"
                let (trust, login) = ("--tls.ca-file=\(authority.certificate)", "--http.config.file=\(file)")
                func status(_ arguments: [String]) async throws -> Int32 {
                    try await run([Repository.executable] + arguments).status
                }
                #expect(try await status(["healthcheck", url, trust, login]) == 0)
                #expect(try await status(["healthcheck", url, trust]) == 1)
                #expect(try await status(["healthcheck", url, login]) == 1)
                #expect([0, 1].contains(try await status(["check", "online", url, trust, login])))
                #expect(try await status(["check", "online", url, trust]) == 3)
                #expect(try await status(["requests", "list", url, trust, login]) == 0)
                #expect(try await status(["requests", "list", url, trust]) == 1)
                #expect(try await status(["requests", "list", url, login]) == 3)
            }
        }

        @Test func `ndt7 measures through TLS, with the statistics of its connection`() async throws {
            let configuration = try folder.write(
                "config.yml",
                ExporterProcess.quiet + "speedtest_server: { enabled: true }\n"
            )
            try await with(tls(), ["--config.file=\(configuration)"]) { exporter in
                let script = try folder.write("ndt7.py", Self.ndt7)
                let text = try await output(of: ["/usr/bin/python3", script, "\(exporter.port)", authority.certificate])
                let last = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
                let tcp = try #require(last["TCPInfo"] as? [String: Any])
                #expect((tcp["BytesAcked"] as? Int ?? 0) > 1_000_000, "\(text)")
                #expect((last["AppInfo"] as? [String: Any])?["NumBytes"] as? Int ?? 0 > 1_000_000)
            }
        }

        /// Downloads until the server has counted a megabyte, or up to its limit, and prints its last measurement.
        private static let ndt7 = """
            import asyncio, json, ssl, sys, websockets

            async def main():
                context = ssl.create_default_context(cafile=sys.argv[2])
                uri = f"wss://localhost:{sys.argv[1]}/ndt/v7/download"
                last, counted = None, 0
                async with websockets.connect(uri, ssl=context, subprotocols=["net.measurementlab.ndt.v7"],
                                              max_size=None, compression=None) as socket:
                    try:
                        while counted <= 1_000_000:
                            message = await socket.recv()
                            if isinstance(message, str):
                                last = json.loads(message)
                                parts = [("TCPInfo", "BytesAcked"), ("AppInfo", "NumBytes")]
                                counted = min(last.get(part, {}).get(name, 0) for part, name in parts)
                    except websockets.exceptions.ConnectionClosedOK:
                        pass
                print(json.dumps(last))

            asyncio.run(main())
            """
    }
}
