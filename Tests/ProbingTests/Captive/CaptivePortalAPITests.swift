import Coordination
import HTTPTransfer
import Lab
import Posix
import Testing

@testable import Probing

struct CaptivePortalAPITests {
    static let example = """
        {"captive": true, "user-portal-url": "https://example.org/portal.html", "seconds-remaining": 326,
        "bytes-remaining": 18446744073709551615, "can-extend-session": true, "venue-info-url": null, "x": [{}]}
        """

    static func response(
        _ body: String,
        type: String? = "application/captive+json",
        status: Int = 200
    ) -> TransferResponse {
        var response = TransferResponse(status: status)
        if let type { response.headers = [("Server", "x"), ("content-type", type)] }
        response.body = Array(body.utf8)
        return response
    }

    @Test func `asks for the document and nothing else`() throws {
        let request = CaptivePortalAPI.request(uri: "https://example.org/api")
        #expect(request.url == "https://example.org/api")
        #expect(request.method == .get)
        #expect(request.headers.map(\.name) == ["Accept"])
        #expect(request.headers.map(\.value) == ["application/captive+json"])
        #expect(request.timeout == .seconds(3))
        guard case .collect(limit: 4096) = request.sink else {
            Issue.record("\(request.sink)")
            return
        }
        let mayConnect = try #require(request.mayConnect)
        for text in ["192.0.2.1", "1.1.1.1", "2001:db8::1"] {
            #expect(mayConnect(SocketAddress(try #require(IPAddress(text)), port: 443)))
        }
        for text in ["127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1"] {
            #expect(!mayConnect(SocketAddress(try #require(IPAddress(text)), port: 443)), "\(text)")
        }
    }

    @Test func `connects to no address that a device of this host has`() throws {
        let host = try Namespace(
            "link set lo up\nlink add eth0 type veth peer name eth1\nlink set eth0 up\naddress add 198.18.7.1/24 dev eth0"
        )
        let mayConnect = try #require(CaptivePortalAPI.request(uri: "https://example.org/api").mayConnect)
        let allowed = try host.inside {
            try ["198.18.7.1", "::ffff:198.18.7.1", "64:ff9b::198.18.7.1", "198.18.7.2"].filter {
                mayConnect(SocketAddress(try #require(IPAddress($0)), port: 443))
            }
        }
        #expect(allowed == ["198.18.7.2"])
    }

    @Test func `reads every key that matters`() throws {
        let status = try #require(CaptivePortalAPI.status(from: Self.response(Self.example)))
        #expect(status.isCaptive)
        #expect(status.portalURL == "https://example.org/portal.html")
        #expect(status.secondsRemaining == 326)
        #expect(status.bytesRemaining == .max)
    }

    @Test func `needs no more than one key`() {
        let status = CaptivePortalAPI.status(from: Self.response("{\"captive\":false}"))
        #expect(status == CaptivePortalStatus(isCaptive: false))
    }

    @Test func `shows no page that is not https`() {
        let body = "{\"captive\": true, \"user-portal-url\": \"http://example.org/\"}"
        #expect(CaptivePortalAPI.status(from: Self.response(body)) == CaptivePortalStatus(isCaptive: true))
    }

    @Test(arguments: [
        "", "true", "null", "[]", "{}", "{\"captive\": 1}", "{\"captive\": \"true\"}", "{\"captive\": null}",
        "{\"Captive\": true}", "{\"captive\": true", "{\"captive\": true} x",
        "{\"captive\": true, \"seconds-remaining\": -1}", "{\"captive\": true, \"seconds-remaining\": 1.5}",
        "{\"captive\": true, \"seconds-remaining\": \"1\"}", "{\"captive\": true, \"bytes-remaining\": 1e99}",
        "{\"captive\": true, \"bytes-remaining\": 18446744073709551616}",
        "{\"captive\": true, \"user-portal-url\": 7}", "<html>",
    ])
    func `refuses what is no such document`(body: String) {
        #expect(CaptivePortalAPI.status(from: Self.response(body)) == nil)
    }

    @Test(arguments: [
        "application/captive+json; charset=utf-8", "Application/Captive+JSON", " application/captive+json ;x",
    ])
    func `takes its media type in any spelling`(type: String) {
        #expect(CaptivePortalAPI.status(from: Self.response(Self.example, type: type))?.isCaptive == true)
    }

    @Test(arguments: [nil, "", ";", "application/json", "text/html", "application/captive+jsonx", "captive+json"])
    func `refuses another media type`(type: String?) {
        #expect(CaptivePortalAPI.status(from: Self.response(Self.example, type: type)) == nil)
    }

    @Test(arguments: [204, 301, 403, 500])
    func `refuses another status`(status: Int) {
        #expect(CaptivePortalAPI.status(from: Self.response(Self.example, status: status)) == nil)
    }

    @Test func `refuses more than 4096 bytes`() {
        let exact = Self.example + String(repeating: " ", count: 4096 - Self.example.utf8.count)
        #expect(CaptivePortalAPI.status(from: Self.response(exact)) != nil)
        #expect(CaptivePortalAPI.status(from: Self.response(exact + " ")) == nil)
        var cut = Self.response(Self.example)
        cut.isTruncated = true
        #expect(CaptivePortalAPI.status(from: cut) == nil)
    }
}

struct CaptivePortalClientTests {
    /// Answers every request with the same.
    private struct Transfers: HTTPTransferring {
        var answer: Result<TransferResponse, TransferError>
        let urls = Locked<[String]>([])

        func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse {
            urls.withLock { $0.append(request.url) }
            return try answer.get()
        }
    }

    @Test func `asks at the URI and tells what the answer says`() async {
        let transfers = Transfers(answer: .success(CaptivePortalAPITests.response(CaptivePortalAPITests.example)))
        let status = await CaptivePortalAPI.status(at: "https://example.org/api", over: transfers)
        #expect(status?.isCaptive == true)
        #expect(transfers.urls.withLock { $0 } == ["https://example.org/api"])
    }

    @Test func `knows nothing without an answer`() async {
        let failure = TransferError(.timeout, phase: .connect, message: "example.org")
        let transfers = Transfers(answer: .failure(failure))
        #expect(await CaptivePortalAPI.status(at: "https://example.org/api", over: transfers) == nil)
    }
}
