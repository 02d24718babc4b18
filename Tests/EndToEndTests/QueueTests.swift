import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// Requests that wait for the network, and webhooks.
    @Suite(.timeLimit(.minutes(2))) struct Queue {
        private static let target = "198.18.0.1:8080"

        /// A host on a cable, with a receiver behind it.
        private func withReceiver(
            _ body: (_ host: Namespace, _ router: Namespace, _ receiver: Receiver) async throws -> Void
        ) async throws {
            try await withCable { host, router in
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                let receiver = try await Receiver(Self.target, in: router)
                do {
                    try await body(host, router, receiver)
                    try await receiver.stop()
                } catch {
                    try? await receiver.stop()
                    throw error
                }
            }
        }

        static func configuration(_ more: String = "", hosts: String = "198.18.0.1") -> String {
            ExporterProcess.quiet + """
                offline_queue:
                  enabled: true
                  allowed_hosts: [{ host: \(hosts), schemes: [http], ports: [8080], headers: { X-Secret: "of the configuration" } }]
                \(more)

                """
        }

        func post(_ exporter: ExporterProcess, _ json: String) async throws -> HTTPResponse {
            try await exporter.request(
                "/api/v1/requests",
                method: "POST",
                headers: ["Content-Type: application/json"],
                body: json
            )
        }

        @Test func `what was accepted offline survives a kill, and arrives in order`() async throws {
            let folder = try TemporaryFolder()
            let storage = ["--storage.path=\(folder.path)/network.db"]
            try await withReceiver { host, router, receiver in
                try await router.ip("link set eth0 down")
                let first = try await ExporterProcess(storage, configuration: Self.configuration(), in: host)
                for number in 1...20 {
                    let json = #"{"url":"http://198.18.0.1:8080/n/\#(number)","body":"\#(number)","orderingKey":"n"}"#
                    let answer = try await post(first, json)
                    #expect(answer.status == 202, "\(answer.body)")
                    let location = try #require(answer.headers["location"])
                    #expect(location.hasPrefix("/api/v1/requests/"))
                    #expect(try await first.request(location).body.contains(#""state":"waiting""#))
                }
                #expect(try await first.sample("network_health_queue_pending_requests") == "20")
                first.program.signal(SIGKILL)
                _ = try await first.program.status()
                try await withExporter(storage, configuration: Self.configuration(), in: host) { exporter in
                    #expect(try await exporter.sample("network_health_queue_pending_requests") == "20")
                    try await router.ip("link set eth0 up")
                    let received = try await receiver.wait(for: 20)
                    #expect(received.map(\.body) == (1...20).map { "\($0)" })
                    #expect(received.allSatisfy { $0.headers["x-secret"] == "of the configuration" })
                    #expect(received.allSatisfy { $0.headers["idempotency-key"] != nil })
                    try await poll("the last note") {
                        try await exporter.sample("network_health_queue_delivered_total") == "20" ? true : nil
                    }
                    #expect(try await exporter.request("/api/v1/requests").body == "[]")
                }
            }
        }

        @Test func `a request that brings no answer holds up no other of its host, unless a key asks for order`()
            async throws
        {
            let folder = try TemporaryFolder()
            let storage = ["--storage.path=\(folder.path)/network.db"]
            try await withReceiver { host, router, receiver in
                try await router.ip("link set eth0 down")
                try await withExporter(storage, configuration: Self.configuration(), in: host) { exporter in
                    for path in ["cut/1", "2", "cut/3", "4", "5"] {
                        for key in ["", #","orderingKey":"k""#] {
                            let json =
                                #"{"url":"http://198.18.0.1:8080/\#(path)","body":"\#(key.isEmpty ? "" : "key")"\#(key)}"#
                            #expect(try await post(exporter, json).status == 202)
                        }
                    }
                    try await router.ip("link set eth0 up")
                    let free = try await poll("the others of the host") {
                        let answered = receiver.received.filter { $0.body.isEmpty && !$0.path.hasPrefix("/cut") }
                        return answered.count == 3 ? answered.map(\.path) : nil
                    }
                    #expect(free == ["/2", "/4", "/5"])
                    #expect(Set(receiver.received.filter { $0.body == "key" }.map(\.path)).isSubset(of: ["/cut/1"]))
                    let list = try await exporter.request("/api/v1/requests").body
                    #expect(list.contains(#""reason":"no_answer""#), "\(list)")
                    try await poll("the last note") {
                        try await exporter.sample("network_health_queue_pending_requests") == "7" ? true : nil
                    }
                }
            }
        }

        @Test func `each refusal has its status`() async throws {
            let folder = try TemporaryFolder()
            let storage = ["--storage.path=\(folder.path)/network.db"]
            try await withReceiver { host, _, receiver in
                let configuration = Self.configuration(hosts: "localhost")
                try await withExporter(storage, configuration: configuration, in: host) { exporter in
                    for (json, status) in [
                        ("{", 400), ("{}", 400), (#"{"url":"http://localhost:8080/","urk":1}"#, 400),
                        (#"{"url":"http://localhost:8080/","requirement":"none"}"#, 400),
                        (#"{"url":"http://localhost:8081/"}"#, 403), (#"{"url":"http://198.18.0.1:8080/"}"#, 403),
                        (#"{"url":"http://localhost:8080/","method":"DELETE"}"#, 403),
                        (#"{"url":"http://me:secret@localhost:8080/"}"#, 400),
                        (#"{"url":"http://localhost:8080/","idempotencyKey":"a\nb"}"#, 400),
                        (#"{"url":"http://localhost:8080/","headers":{"Host":"other.test"}}"#, 400),
                        (#"{"url":"https://localhost:8080/"}"#, 403),
                    ] {
                        #expect(try await post(exporter, json).status == status, "\(json)")
                    }
                    // Accepted, but its name leads to this host.
                    let answer = try await post(exporter, #"{"url":"http://localhost:8080/","idempotencyKey":"k"}"#)
                    #expect(answer.status == 202)
                    let again = try await post(exporter, #"{"url":"http://localhost:8080/","idempotencyKey":"k"}"#)
                    #expect(again.status == 200 && again.body == answer.body)
                    let location = try #require(answer.headers["location"])
                    try await poll("the refused address") {
                        try await exporter.request(location).body.contains(#""lastError":""#) ? true : nil
                    }
                    #expect(try await exporter.request(location, method: "DELETE").status == 204)
                    #expect(try await exporter.request(location).status == 404)
                    for _ in 0..<2 {
                        #expect(try await post(exporter, #"{"url":"http://localhost:8080/"}"#).status == 202)
                    }
                    #expect(try await exporter.request("/api/v1/requests", method: "DELETE").status == 204)
                    #expect(try await exporter.request("/api/v1/requests").body == "[]")
                    let cancelled = #"network_health_queue_discarded_total{reason="cancelled"}"#
                    #expect(try await exporter.sample(cancelled) == "1")
                    let reset = #"network_health_queue_discarded_total{reason="reset"}"#
                    #expect(try await exporter.sample(reset) == "2")
                    let rejected = #"network_health_queue_rejected_total{reason="host"}"#
                    #expect(try await exporter.sample(rejected) == "4")
                }
                #expect(receiver.received.isEmpty)
                try await withExporter(in: host) { exporter async throws in
                    #expect(try await post(exporter, #"{"url":"http://198.18.0.1:8080/"}"#).status == 403)
                }
            }
        }

        /// The data of the events `queue`, of a program that prints a stream.
        private func queueEvents(_ stream: Program) -> [QueueEvent] {
            stream.output.components(separatedBy: "\n\n").filter { $0.contains("event: queue\n") }.compactMap { text in
                let data = text.split(separator: "\n").first { $0.hasPrefix("data: ") }?.dropFirst(6) ?? ""
                return try? JSONDecoder().decode(QueueEvent.self, from: Data(data.utf8))
            }
        }

        private struct QueueEvent: Decodable {
            var pending: Int
            var enqueued: Int
            var delivered: Int
            var retries: Int
            var discarded: Int
            var acceptedIds: [String]
            var deliveredIds: [String]
            var failedIds: [String]
        }

        @Test func `the stream has the queue's counts and ids at each change, a few a second, and no URL`() async throws
        {
            let folder = try TemporaryFolder()
            let storage = ["--storage.path=\(folder.path)/network.db"]
            try await withReceiver { host, router, receiver in
                try await router.ip("link set eth0 down")
                try await withExporter(storage, configuration: Self.configuration(), in: host) { exporter in
                    let url = "http://127.0.0.1:\(exporter.port)/api/v1/stream"
                    let stream = try Program(host.prefix + ["curl", "-sN", url])
                    defer { stream.signal(SIGTERM) }
                    func wait(_ what: String, until isThere: ([QueueEvent]) -> Bool) async throws -> [QueueEvent] {
                        try await poll(what) {
                            let events = queueEvents(stream)
                            return isThere(events) ? events : nil
                        }
                    }
                    try await poll("the stream") { stream.output.contains("event: snapshot") ? true : nil }
                    let began = ContinuousClock.now
                    func accept(_ path: String, _ more: String = "") async throws -> String {
                        let json = #"{"url":"http://198.18.0.1:8080/\#(path)?key=hidden"\#(more)}"#
                        let answer = try await post(exporter, json)
                        try #require(answer.status == 202, "\(answer.body)")
                        return try #require(answer.body.firstMatch(of: /[0-9A-F-]{36}/)).output.lowercased()
                    }
                    var ids: [String] = []
                    for number in 0..<20 { ids.append(try await accept("n/\(number)", #","orderingKey":"n""#)) }
                    let refused = try await accept("400", #","orderingKey":"other""#)
                    _ = try await accept(
                        "late",
                        #","expiresAt":"\#(Date.now.addingTimeInterval(5).formatted(.iso8601))""#
                    )
                    // The last one may have expired before the next event.
                    let accepted = try await wait("all accepted") { events in
                        events.last.map { $0.enqueued == 22 && $0.pending + $0.discarded == 22 } == true
                    }
                    #expect(accepted.flatMap(\.acceptedIds).count == 22)
                    // Without any request.
                    _ = try await wait("the expired one") { $0.last?.pending == 21 && $0.last?.discarded == 1 }
                    try await router.ip("link set eth0 up")
                    let events = try await wait("all delivered") { events in
                        events.last?.pending == 0 && events.flatMap(\.deliveredIds).count == 20
                    }
                    let took = began.duration(to: .now)
                    #expect(events.last?.delivered == 20 && events.last?.discarded == 2)
                    #expect(events.flatMap(\.deliveredIds).map { $0.lowercased() } == ids)
                    #expect(Set(events.flatMap(\.failedIds).map { $0.lowercased() }).contains(refused))
                    #expect(Double(events.count) <= took / .milliseconds(500) + 2, "\(events.count) events in \(took)")
                    let text = stream.output.components(separatedBy: "\n\n").filter { $0.contains("event: queue\n") }
                        .joined()
                    #expect(!text.contains("198.18") && !text.contains("http") && !text.contains("hidden"), "\(text)")
                    #expect(receiver.received.count == 21)
                }
            }
        }

        @Test func `a queue without storage, or that everybody could use, is an error at the start`() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("queue.yml", Self.configuration())
            let command = [Repository.executable, "--config.check", "--config.file=\(file)"]
            let withoutStorage = try await run(command + ["--web.listen-address=127.0.0.1:0"])
            #expect(withoutStorage.status == 1 && withoutStorage.errors.contains("--storage.path"))
            let open = try await run(command + ["--storage.path=\(folder.path)/x.db"])
            #expect(open.status == 1 && open.errors.contains("bearer_token_file"))
        }

        /// What openssl(1) makes of the time and the body.
        private func digest(of hook: Receiver.Received) async throws -> String {
            let openssl = "printf %s \"$1\" | openssl dgst -sha256 -hmac key"
            let text = try await output(of: ["sh", "-c", openssl, "sh", "\(hook.signatureTime).\(hook.body)"])
            return text.split(separator: " ").last.map { $0.filter { $0 != "\n" } } ?? ""
        }

        @Test func `a webhook about an outage arrives after it, signed, also without a file`() async throws {
            try await withReceiver { host, router, receiver in
                let configuration =
                    ExporterProcess.quiet + """
                        webhooks:
                          - url: "http://198.18.0.1:8080/hook"
                            events: [lost, restored]
                            min_outage: 0s
                            secret: key
                          - { url: "http://198.18.0.1:8080/text", min_outage: 0s, body: "{{event}} {{cause}}", content_type: text/plain }

                        """
                try await withExporter(configuration: configuration, in: host) { exporter in
                    try await poll("online") { try await exporter.sample("network_health_online") == "1" ? true : nil }
                    try await router.ip("link set eth0 down")
                    try await poll("offline") { try await exporter.sample("network_health_online") == "0" ? true : nil }
                    try await router.ip("link set eth0 up")
                    let received = try await receiver.wait(for: 3)
                    let hooks = received.filter { $0.path == "/hook" }
                    #expect(hooks.map { $0.body.contains(#""event":"lost""#) } == [true, false])
                    #expect(hooks.allSatisfy { $0.body.contains(#""cause":"link""#) })
                    #expect(received.filter { $0.path == "/text" }.map(\.body) == ["restored link"])
                    for hook in hooks { #expect(try await digest(of: hook) == hook.signature) }
                }
            }
        }
    }
}
