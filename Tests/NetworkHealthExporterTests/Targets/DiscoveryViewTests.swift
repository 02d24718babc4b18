import Foundation
import HTTPTransfer
import MicroHTTP
import Posix
import Probing
import Testing

@testable import NetworkHealthExporter

struct DiscoveryViewTests {
    private struct Group: Decodable, Equatable {
        var targets: [String]
        var labels: [String: String]
    }

    private func answer(
        host: String? = "exporter.test:10319",
        isTLS: Bool = false,
        _ targets: [Target] = [],
        _ change: (inout Settings) -> Void = { _ in }
    ) async -> Response {
        var settings = Settings()
        change(&settings)
        let view = DiscoveryView(targets: await ProbedMonitor.of(targets), settings: settings)
        var request = Request()
        request.headers["Host"] = host
        request.isTLS = isTLS
        return view.answer(request)
    }

    private func groups(_ response: Response) throws -> [Group] {
        #expect(response.status == 200 && response.headers["Content-Type"] == "application/json")
        return try JSONDecoder().decode([Group].self, from: Data(response.text.utf8))
    }

    private static var web: Target {
        var target = Target(name: "web", address: "https://example.com/", probe: HTTPProbe())
        target.labels = ["team": "a", "instance": "mine"]
        return target
    }

    @Test func `Each target is scraped from this exporter, with its own labels`() async throws {
        let ping = Target(name: "ping me", address: "192.0.2.1", probe: ICMPProbe())
        let groups = try groups(await answer([Self.web, ping]) { $0.routePrefix = "/net" })
        #expect(groups.map(\.targets) == [["exporter.test:10319"], ["exporter.test:10319"]])
        #expect(
            groups.map(\.labels) == [
                [
                    "__metrics_path__": "/net/probe", "__param_target": "web", "__meta_network_health_module": "http",
                    "target": "web", "team": "a", "instance": "mine",
                ],
                [
                    "__metrics_path__": "/net/probe", "__param_target": "ping me",
                    "__meta_network_health_module": "icmp", "target": "ping me",
                ],
            ]
        )
    }

    @Test func `Without targets the list is empty, and the watched router is none`() async throws {
        #expect(await answer().text == "[]")
        #expect(await answer([GatewaySection().target].compactMap(\.self)).text == "[]")
    }

    @Test func `The external URL goes before the request's host`() async throws {
        let groups = try groups(
            await answer(host: nil, [Self.web]) { $0.externalURL = WebURL("https://proxy.test/net/") }
        )
        #expect(groups.map(\.targets) == [["proxy.test:443"]])
        #expect(groups[0].labels["__scheme__"] == "https")
    }

    @Test func `Without an external URL a request over TLS has the scheme and the port of HTTPS`() async throws {
        let groups = try groups(await answer(host: "exporter.test", isTLS: true, [Self.web]))
        #expect(groups.map(\.targets) == [["exporter.test:443"]])
        #expect(groups[0].labels["__scheme__"] == "https")
    }

    @Test(arguments: [
        ("exporter.test", "exporter.test:80"), ("192.0.2.1:1", "192.0.2.1:1"),
        ("[2001:db8::1]:10319", "[2001:db8::1]:10319"),
        ("[2001:db8::1]", "[2001:db8::1]:80"), ("localhost:10319", "localhost:10319"), (nil, nil), ("", nil),
        ("a b", nil), ("a:99999", nil), ("a/b", nil), ("user@a", nil), ("a\"b", nil),
    ])
    func `A host has a port; what is no host is refused`(host: String?, place: String?) async throws {
        let response = await answer(host: host, [Self.web])
        if let place {
            #expect(try groups(response).map(\.targets) == [[place]])
        } else {
            #expect(response.status == 400 && response.text.hasPrefix("{\"error\":"))
        }
    }
}
