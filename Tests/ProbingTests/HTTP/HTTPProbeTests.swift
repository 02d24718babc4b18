import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import Testing

struct HTTPProbeTests {
    private static func target(_ configure: (inout HTTPOptions) -> Void = { _ in }) -> Target {
        var options = HTTPOptions()
        configure(&options)
        return .make("web", .http(options), address: "https://user:secret@web.test/health")
    }

    private static func result(
        _ response: TransferResponse,
        _ configure: (inout HTTPOptions) -> Void = { _ in }
    ) async -> ProbeResult {
        await HTTPProbe(FakeTransfers(response)).probe(target(configure), in: ProbeSurroundings())
    }

    @Test func `asks as it is told, on a fresh connection, without redirects and without keeping the body`() async {
        let transfers = FakeTransfers(TransferResponse(status: 200))
        var target = Self.target { options in
            options.method = .put
            options.headers = ["X-B": "2", "X-A": "1"]
            options.request.authorization = "Bearer token"
            options.request.proxy = "http://proxy.test:3128"
            options.request.tls.caFile = "/ca.pem"
        }
        (target.timeout, target.family, target.interface) = (.seconds(5), .ipv6, "eth0")
        _ = await HTTPProbe(transfers).probe(target, in: ProbeSurroundings())
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
        #expect(request.maxRedirects == 0)
        guard case .discard = request.sink, case .none = request.body else {
            Issue.record("a body")
            return
        }
    }

    @Test func `a header of the target's own goes before the authorization`() async {
        let transfers = FakeTransfers(TransferResponse(status: 200))
        let target = Self.target { options in
            options.headers = ["authorization": "mine"]
            options.request.authorization = "Bearer token"
        }
        _ = await HTTPProbe(transfers).probe(target, in: ProbeSurroundings())
        #expect(transfers.requests[0].headers.map(\.value) == ["mine"])
    }

    @Test func `tells what it found`() async {
        var statistics = TransferStatistics()
        statistics.phases.connect = .milliseconds(3)
        statistics.duration = .milliseconds(20)
        (statistics.sentBytes, statistics.receivedBytes) = (100, 500)
        statistics.bodyBytes = 40
        statistics.remoteAddress = IPAddress("192.0.2.7")
        statistics.httpVersion = "2"
        statistics.certificateExpiry = Date(timeIntervalSince1970: 2_000_000_000)
        let headers = [(name: "Content-Length", value: "42")]
        let response = TransferResponse(status: 200, headers: headers, statistics: statistics)
        let result = await Self.result(response)
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
        #expect(result.http?.bodyMatched == nil)
    }

    @Test(arguments: [
        (200, [], true), (299, [], true), (199, [], false), (300, [], false), (404, [404, 410], true),
        (200, [404, 410], false),
    ])
    func `the status is one of those expected, or any 2xx`(status: Int, expected: [Int], succeeds: Bool) async {
        let result = await Self.result(TransferResponse(status: status)) { $0.expectedStatus = expected }
        #expect(result.failure == (succeeds ? nil : .status))
        #expect(result.detail.contains("\(status)") == !succeeds)
        #expect(result.http?.status == status)
    }

    @Test(arguments: [("all is well", nil), ("nothing is", ProbeFailure.body), ("", .body)])
    func `the body must match`(body: String, failure: ProbeFailure?) async throws {
        let transfers = FakeTransfers(body: body)
        let pattern = try BodyPattern("^all .* well$")
        let target = Self.target { $0.bodyPattern = pattern }
        let result = await HTTPProbe(transfers).probe(target, in: ProbeSurroundings())
        #expect(result.failure == failure)
        #expect(result.http?.bodyMatched == (failure == nil))
        guard case .collect(limit: 65536) = transfers.requests[0].sink else {
            Issue.record("not collected")
            return
        }
    }

    @Test func `a wrong status goes before a wrong body, and both are told`() async throws {
        let pattern = try BodyPattern("ok")
        let result = await Self.result(TransferResponse(status: 500)) { $0.bodyPattern = pattern }
        #expect(result.failure == .status)
        #expect(result.http?.bodyMatched == false)
    }

    @Test func `a body that is too much work is told as that`() async throws {
        let pattern = try BodyPattern("^(a+)+$")
        var response = TransferResponse(status: 200)
        response.body = Array(String(repeating: "a", count: 40_000).utf8) + [0x62]
        let result = await Self.result(response) { $0.bodyPattern = pattern }
        #expect(result.failure == .body)
        #expect(result.detail.contains("limit"))
    }

    @Test(
        arguments: [
            ("12", 12), ("-1", nil), ("99999999999999999999", nil), ("many", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func `a length is taken from the other side only where it is one`(text: String, length: Int64?) async {
        let result = await Self.result(
            TransferResponse(status: 200, headers: [(name: "content-length", value: text)])
        )
        #expect(result.http?.contentLength == length)
    }

    @Test func `a failed transfer keeps what is known, and no secret of the URL`() async {
        var error = TransferError(.tls, phase: .tls, message: "certificate has expired")
        error.statistics.duration = .milliseconds(30)
        error.statistics.remoteAddress = IPAddress("192.0.2.7")
        let result = await HTTPProbe(FakeTransfers(error)).probe(Self.target(), in: ProbeSurroundings())
        #expect(result.failure == .tls)
        #expect(result.detail.contains("certificate has expired"))
        #expect(result.duration == .milliseconds(30))
        #expect(result.address == IPAddress("192.0.2.7"))
        let wrong = await Self.result(TransferResponse(status: 500))
        #expect(!wrong.detail.contains("secret"))
    }

    @Test(
        arguments: [("nhe-missing", ProbeFailure.noInterface), ("lo", .unreachable), (nil, .unreachable)]
            as [(String?, ProbeFailure)]
    )
    func `no way there over a device that does not exist is no interface`(
        device: String?,
        failure: ProbeFailure
    ) async {
        let error = TransferError(.unreachable, phase: .connect, message: "no route")
        var target = Self.target()
        target.interface = device
        let result = await HTTPProbe(FakeTransfers(error)).probe(target, in: ProbeSurroundings())
        #expect(result.failure == failure)
        #expect(result.device == device)
    }

    @Test(arguments: [TransferError.Reason.cancelled, .stopped])
    func `what was ended from here is no failure and no success`(reason: TransferError.Reason) async {
        let error = TransferError(reason, phase: .connect, message: "")
        let result = await HTTPProbe(FakeTransfers(error)).probe(Self.target(), in: ProbeSurroundings())
        #expect(result.isCancelled)
        #expect(result.failure == nil)
        #expect(!result.isSuccess)
    }

    @Test func `a target of another kind fails and sends nothing`() async {
        let transfers = FakeTransfers(TransferResponse(status: 200))
        for probe in [HTTPProbe(transfers), GraphQLProbe(transfers)] as [any Probe] {
            let result = await probe.probe(.make("a", .icmp), in: ProbeSurroundings())
            #expect(result.failure == .protocolViolation)
        }
        #expect(transfers.requests.isEmpty)
    }
}
