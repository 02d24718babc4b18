import HTTPTransfer
import MicroHTTP
import Posix
import Testing

@testable import NetworkHealthExporter

struct BrowserGuardTests {
    private static let browsers = BrowserGuard(
        names: ["Monitor.example"],
        externalURL: WebURL("https://status.example:8443/network"),
        hostName: "edge-1"
    )

    private static func request(_ fields: [String: String]) -> Request {
        var headers: Headers = [:]
        for (name, value) in fields { headers.add(name, value) }
        return Request(method: .post, headers: headers)
    }

    @Test(arguments: [
        "127.0.0.1:10319", "192.0.2.1", "[::1]:10319", "[2001:db8::1]", "localhost:10319", "LOCALHOST", "edge-1:10319",
        "monitor.example", "monitor.example:8080", "status.example",
    ])
    func `a page at an address or a name of the exporter may change something`(host: String) {
        let request = Self.request(["Host": host, "Origin": "http://\(host)"])
        #expect(Self.browsers.refusal(ofChange: request) == nil)
        #expect(Self.browsers.refusal(ofHost: request) == nil)
    }

    @Test(arguments: [
        "evil.example", "evil.example:10319", "edge-1.evil.example", "127.0.0.1.evil.example", "", "[::1",
    ])
    func `a page whose name leads to the exporter's address may not`(host: String) throws {
        for header in ["Origin", "Sec-Fetch-Mode", "sec-fetch-dest"] {
            let request = Self.request(["Host": host, header: "http://\(host)"])
            #expect(Self.browsers.refusal(ofChange: request) != nil)
        }
        #expect(Self.browsers.refusal(ofHost: Self.request(["Host": host])) != nil)
    }

    @Test func `a program other than a browser may use any name, but not for what pages must not see`() throws {
        let request = Self.request(["Host": "exporter:10319"])
        #expect(Self.browsers.refusal(ofChange: request) == nil)
        let refusal = try #require(Self.browsers.refusal(ofHost: request))
        #expect(refusal.contains("exporter:10319") && refusal.contains("--web.allowed-host"))
        // HTTP/1.0.
        #expect(Self.browsers.refusal(ofHost: Self.request([:])) == nil)
    }

    @Test func `a page of another site is refused first`() {
        let request = Self.request(["Host": "localhost", "Origin": "http://evil.example"])
        #expect(Self.browsers.refusal(ofChange: request) == "the request comes from another site")
    }

    @Test func `this host's own name is accepted`() throws {
        let name = try String(decoding: SmallFile.read("/proc/sys/kernel/hostname"), as: UTF8.self)
            .split(separator: "\n").joined()
        #expect(BrowserGuard().refusal(ofHost: Self.request(["Host": "\(name):10319"])) == nil)
    }
}
