import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import Testing

struct HTTPProbeTests {
    private static func target(_ configure: (inout HTTPProbe) -> Void = { _ in }) -> Target {
        var probe = HTTPProbe()
        configure(&probe)
        return .make("web", probe, address: "https://user:secret@web.test/health")
    }

    private static func result(
        _ response: TransferResponse,
        _ configure: (inout HTTPProbe) -> Void = { _ in }
    ) async throws -> ProbeResult {
        try await target(configure).probed(with: FakeTransfers(response))
    }

    @Test func `Sends the configured request, on a fresh connection, without redirects and without keeping the body`()
        async throws
    {
        let transfers = FakeTransfers(TransferResponse(status: 200))
        var target = Self.target { probe in
            probe.method = .put
            probe.headers = ["X-B": "2", "X-A": "1"]
            probe.options.authorization = "Bearer token"
            probe.options.proxy = "http://proxy.test:3128"
            probe.options.tls.caFile = "/ca.pem"
        }
        (target.timeout, target.family, target.interface) = (.seconds(5), .ipv6, "eth0")
        _ = try await target.probed(with: transfers)
        let request = transfers.requests[0]
        #expect(request.url == target.address)
        #expect(request.method == .put)
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == ["X-A: 1", "X-B: 2", "Authorization: Bearer token"]
        )
        #expect(request.timeout == .seconds(5))
        #expect(request.family == .ipv6)
        #expect(request.interface == "eth0")
        #expect(request.proxy == "http://proxy.test:3128")
        #expect(request.tls.caFile == "/ca.pem")
        #expect(request.usesFreshConnection)
        guard case .discard = request.sink, case .none = request.body else {
            Issue.record("a body")
            return
        }
    }

    @Test func `A configured header replaces the authorization`() async throws {
        let transfers = FakeTransfers(TransferResponse(status: 200))
        let target = Self.target { probe in
            probe.headers = ["authorization": "mine"]
            probe.options.authorization = "Bearer token"
        }
        _ = try await target.probed(with: transfers)
        #expect(transfers.requests[0].headers.map(\.value) == ["mine"])
    }

    @Test func `Reports the facts of the answer`() async throws {
        var statistics = TransferStatistics()
        statistics.phases.connect = .milliseconds(3)
        statistics.duration = .milliseconds(20)
        (statistics.sentBytes, statistics.receivedBytes) = (100, 500)
        statistics.bodyBytes = 40
        statistics.remoteAddress = IPAddress("192.0.2.7")
        statistics.httpVersion = "2"
        statistics.certificateExpiry = Date(timeIntervalSince1970: 2_000_000_000)
        statistics.tls = TLSFacts(version: "TLS 1.3", cipher: "TLS_AES_128_GCM_SHA256")
        let headers = [
            (name: "Content-Length", value: "42"), (name: "last-modified", value: "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        let response = TransferResponse(status: 200, headers: headers, statistics: statistics)
        let result = try await Self.result(response)
        #expect(result.isSuccess)
        #expect(result.detail.isEmpty)
        #expect(result.duration == .milliseconds(20))
        #expect(result.phases.connect == .milliseconds(3))
        #expect(result.method == .http)
        #expect(result.address == IPAddress("192.0.2.7"))
        #expect(result.certificateExpiry == Date(timeIntervalSince1970: 2_000_000_000))
        #expect(result.sentBytes == 100 && result.receivedBytes == 500)
        #expect(result.http?.status == 200)
        #expect(result.http?.version == "2")
        #expect(result.http?.contentLength == 42)
        #expect(result.http?.bodyBytes == 40)
        #expect(result.http?.lastModified == Date(timeIntervalSince1970: 784_111_777))
        #expect(result.tls == statistics.tls)
        #expect(result.http?.bodyMatched == nil)
    }

    @Test(arguments: [
        (200, [], true), (299, [], true), (199, [], false), (300, [], false), (404, [404, 410], true),
        (200, [404, 410], false),
    ])
    func `the status is one of those expected, or any 2xx`(status: Int, expected: [Int], succeeds: Bool) async throws {
        let result = try await Self.result(TransferResponse(status: status)) { $0.expectedStatus = expected }
        #expect(result.failure == (succeeds ? nil : .status))
        #expect(result.detail.contains("\(status)") == !succeeds)
        #expect(result.http?.status == status)
    }

    @Test(arguments: [("all is well", nil), ("nothing is", ProbeFailure.body), ("", .body)])
    func `the body must match`(body: String, failure: ProbeFailure?) async throws {
        let transfers = FakeTransfers(body: body)
        let pattern = try BodyPattern("^all .* well$")
        let target = Self.target { $0.bodyPattern = pattern }
        let result = try await target.probed(with: transfers)
        #expect(result.failure == failure)
        #expect(result.http?.bodyMatched == (failure == nil))
        guard case .collect(limit: 65536) = transfers.requests[0].sink else {
            Issue.record("not collected")
            return
        }
    }

    @Test func `A wrong status goes before a wrong body, and both are reported`() async throws {
        let pattern = try BodyPattern("ok")
        let result = try await Self.result(TransferResponse(status: 500)) { $0.bodyPattern = pattern }
        #expect(result.failure == .status)
        #expect(result.http?.bodyMatched == false)
    }

    @Test func `A body that exceeds a limit of matching has its own detail`() async throws {
        let pattern = try BodyPattern("^(a+)+$")
        var response = TransferResponse(status: 200)
        response.body = Array(String(repeating: "a", count: 40_000).utf8) + [0x62]
        let result = try await Self.result(response) { $0.bodyPattern = pattern }
        #expect(result.failure == .body)
        #expect(result.detail.contains("limit"))
    }

    @Test(
        arguments: [
            ("12", 12), ("-1", nil), ("99999999999999999999", nil), ("many", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func `Only a valid Content-Length is reported`(text: String, length: Int64?) async throws {
        let result = try await Self.result(
            TransferResponse(status: 200, headers: [(name: "content-length", value: text)])
        )
        #expect(result.http?.contentLength == length)
    }

    @Test func `A failed transfer keeps its facts, and no secret of the URL`() async throws {
        var error = TransferError(.tls, phase: .tls, message: "certificate has expired")
        error.statistics.duration = .milliseconds(30)
        error.statistics.remoteAddress = IPAddress("192.0.2.7")
        let result = try await Self.target().probed(with: FakeTransfers(error))
        #expect(result.failure == .tls)
        #expect(result.detail.contains("certificate has expired"))
        #expect(result.duration == .milliseconds(30))
        #expect(result.address == IPAddress("192.0.2.7"))
        let wrong = try await Self.result(TransferResponse(status: 500))
        #expect(!wrong.detail.contains("secret"))
    }

    @Test(
        arguments: [("nhe-missing", ProbeFailure.noInterface), ("lo", .unreachable), (nil, .unreachable)]
            as [(String?, ProbeFailure)]
    )
    func `An unreachable host over a missing device is no_interface`(
        device: String?,
        failure: ProbeFailure
    ) async throws {
        let error = TransferError(.unreachable, phase: .connect, message: "no route")
        var target = Self.target()
        target.interface = device
        let result = try await target.probed(with: FakeTransfers(error))
        #expect(result.failure == failure)
        #expect(result.device == device)
    }

    @Test(arguments: [TransferError.Reason.cancelled, .stopped])
    func `A transfer that this process ended is neither a failure nor a success`(reason: TransferError.Reason)
        async throws
    {
        let error = TransferError(reason, phase: .connect, message: "")
        let result = try await Self.target().probed(with: FakeTransfers(error))
        #expect(result.isCancelled)
        #expect(result.failure == nil)
        #expect(!result.isSuccess)
    }
}
