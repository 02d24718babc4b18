import HTTPTransfer
import Logging
import OfflineQueue
import Testing

@testable import NetworkHealthExporter

/// Which requests of applications the configuration lets go where.
struct QueueSenderTests {
    /// The error for a request; nil: it may be sent.
    private func refusal(_ url: String, method: String = "POST", _ allowed: String) throws -> OfflineError? {
        let yaml = "offline_queue: { enabled: true, allowed_hosts: [\(allowed)] }"
        let configuration = try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
        let loop = try TransferLoop(name: "test", userAgent: "tests")
        defer { loop.stop() }
        let sender = Self.sender(loop) { configuration }
        let request = RetryableRequest(endpoint: url, method: method, requestType: "t")
        do throws(OfflineError) { try sender.check(request) } catch { return error }
        return nil
    }

    private static func sender(
        _ loop: TransferLoop,
        log: LogRecorder = LogRecorder(),
        _ configuration: @escaping @Sendable () -> Configuration
    ) -> QueueSender {
        let failures = WebhookFailureReporter(logger: log.logger)
        return QueueSender(
            configuration: configuration,
            loop: loop,
            activity: QueueActivity(),
            webhookFailures: failures
        )
    }

    @Test func `a webhook that is not delivered is logged once a minute, by its host alone`() async throws {
        let loop = try TransferLoop(name: "test", userAgent: "tests")
        defer { loop.stop() }
        let log = LogRecorder(showsMetadata: true)
        let sender = Self.sender(loop, log: log) { Configuration() }
        let webhook = RetryableRequest(
            endpoint: "https://hooks.test/T0/hidden?token=secret",
            method: "POST",
            requestType: Webhook.requestType
        )
        for _ in 0..<2 { await #expect(throws: OfflineError.self) { try await sender.send(webhook) } }
        log.logger.info("end")
        let line = try #require(await log.next())
        #expect(line.contains("receiver=hooks.test") && line.contains("its receiver is no longer configured"))
        #expect(!line.contains("secret") && !line.contains("hidden"), "\(line)")
        #expect(await log.next() == "info end")
    }

    private func isRefused(
        _ url: String,
        method: String = "POST",
        _ allowed: String,
        naming key: String
    ) throws -> Bool {
        guard case .forbidden(let reason) = try refusal(url, method: method, allowed) else { return false }
        return reason.contains("offline_queue.allowed_hosts") && reason.contains(key)
    }

    @Test func `https alone is allowed, unless the host lists http`() throws {
        #expect(try refusal("https://api.test/x", "{ host: api.test }") == nil)
        #expect(try isRefused("http://api.test:443/x", "{ host: api.test }", naming: "schemes"))
        #expect(try isRefused("http://api.test/x", "{ host: api.test, ports: [80, 443] }", naming: "schemes"))
        #expect(try refusal("http://api.test/x", "{ host: api.test, ports: [80], schemes: [http] }") == nil)
        #expect(try isRefused("https://api.test/x", "{ host: api.test, schemes: [http] }", naming: "schemes"))
        #expect(try refusal("HTTPS://API.test/x", "{ host: api.test, schemes: [http, https] }") == nil)
    }

    @Test func `host, port and method must be those of one entry, and the error says which is not`() throws {
        let allowed = "{ host: api.test, ports: [8443], methods: [PUT] }, { host: other.test }"
        #expect(try refusal("https://api.test:8443/", method: "PUT", allowed) == nil)
        for (url, method, named) in [
            ("https://api.test/", "PUT", "port 443 is not in offline_queue.allowed_hosts[].ports of api.test"),
            ("https://api.test:8443/", "POST", "POST is not in offline_queue.allowed_hosts[].methods of api.test"),
            ("https://third.test:8443/", "PUT", "the host is not in offline_queue.allowed_hosts: PUT"),
            ("http://other.test/", "POST", "http is not in offline_queue.allowed_hosts[].schemes of other.test"),
        ] {
            #expect(try isRefused(url, method: method, allowed, naming: named), "\(method) \(url)")
        }
    }

    @Test func `a refusal shows neither user info nor query`() throws {
        for allowed in ["{ host: api.test }", "{ host: other.test }"] {
            let error = try refusal("http://me:secret@api.test:443/x?token=hidden", allowed)
            let text = try #require(error.map { "\($0)" })
            #expect(["secret", "me:", "hidden"].allSatisfy { !text.contains($0) }, "\(text)")
        }
    }

    @Test func `a URL that an earlier version has stored is shown without user info and query, in ASCII`() {
        for (url, shown) in [
            ("https://me:secret@api.test:8443/x/y?token=hidden#part", "https://api.test:8443/x/y"),
            ("http://:secret@[::1]", "http://[::1]/"), ("me:secret@api.test/", ""),
            ("https://api.test/\u{9b}1m\u{202e}", "https://api.test/%C2%9B1m%E2%80%AE"),
        ] {
            #expect(RetryableRequest(endpoint: url, method: "POST", requestType: "t").shownURL == shown)
        }
    }

    @Test func `paths limit a host to what is below them`() throws {
        let allowed = "{ host: api.test, paths: [/v1/orders/, /v2] }"
        for path in ["/v1/orders/", "/v1/orders/7?to=/../x", "/v2", "/v2/x", "/v2?x"] {
            #expect(try refusal("https://api.test\(path)", allowed) == nil, "\(path)")
        }
        for path in ["", "/", "/v1/orders", "/v1/ordersX/", "/v20", "/V2", "/%762", "/v1/orders/../admin"] {
            #expect(try isRefused("https://api.test\(path)", allowed, naming: "paths"), "\(path)")
        }
    }
}
