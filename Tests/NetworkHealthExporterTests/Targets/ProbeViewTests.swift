import HTTPTransfer
import MicroHTTP
import Posix
import Probing
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3)))
struct ProbeViewTests {
    private static let targets: [Target] = [
        Target(name: "ping", address: "example.com", probe: ICMPProbe()),
        Target(name: "web", address: "https://example.com/", probe: HTTPProbe()),
        Target(name: "names", address: "example.com", probe: DNSProbe(query: "example.com")),
    ]
    private static let results = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, ProbeResult()) })

    private func answer(_ items: (String, String)...) async -> Response {
        let monitor = await ProbedMonitor.of(Self.targets, Self.results)
        let items = items.map { Request.QueryItem(name: $0.0, value: $0.1) }
        return ProbeView(targets: monitor).answer(Request(query: items))
    }

    @Test(arguments: [
        ("ping", "", "probe_icmp_duration_seconds"), ("web", "http", "probe_http_duration_seconds"),
        ("https://example.com/", "", "probe_http_duration_seconds"),
        ("https://example.com", "http", "probe_http_duration_seconds"),
        // The first of those with this address, unless the module decides.
        ("example.com", "", "probe_icmp_duration_seconds"), ("example.com", "dns", "probe_dns_duration_seconds"),
    ])
    func `A target is found by its name or its address, and by its module`(
        target: String,
        module: String,
        family: String
    ) async {
        let response = await answer(("target", target), ("module", module))
        #expect(response.status == 200)
        #expect(response.families.contains(family), "\(response.text)")
    }

    @Test(arguments: [("ping", "http"), ("example.com", "tcp"), ("https://example.com/", "http_2xx"), ("web", "x")])
    func `Another module than the target's is refused with the right one`(target: String, module: String) async {
        let response = await answer(("target", target), ("module", module))
        #expect(response.status == 400)
        let name = target.hasPrefix("https") || target == "web" ? "web is http" : "ping is icmp"
        #expect(response.text == "the module of \(name), found \"\(module)\"; it may be left out\n")
    }

    @Test func `Exactly one target and at most one module are expected`() async {
        for response in [
            await answer(), await answer(("target", "")), await answer(("target", "ping"), ("target", "web")),
        ] {
            #expect(response.status == 400)
            #expect(response.text == "expected one target=NAME; one of: ping, web, names\n")
        }
        #expect(await answer(("target", "ping"), ("module", "icmp"), ("module", "icmp")).status == 400)
    }

    @Test func `The user info of an unknown target is not shown`() async {
        let response = await answer(("target", "http://me:hunter2@other.test/"))
        #expect(response.status == 404 && !response.text.contains("hunter2"), "\(response.text)")
    }

    @Test func `For an unknown target the answer has the lines that configure it`() async {
        let response = await answer(("target", "other.test"), ("module", "tcp_connect"))
        #expect(response.status == 404)
        #expect(
            response.text == """
                no target is named "other.test", and none has that address; one of: ping, web, names

                It cannot be a target of the module tcp: expected HOST:PORT such as example.com:443 or [2001:db8::1]:443, \
                found "other.test"

                """
        )
        let web = await answer(("target", "http://other.test"))
        #expect(
            web.text.hasSuffix(
                "\ntargets:\n  - { name: \"other.test\", module: http, address: \"http://other.test\" }\n"
            )
        )
    }

    @Test func `A paused target has no probe_success, but what the last probe found`() async {
        let monitor = await ProbedMonitor.of(Self.targets, Self.results)
        monitor.contextChanged(ProbeContext(isExpensive: true), isNewUplink: false)
        let view = ProbeView(targets: monitor)
        let paused = view.answer(.query(("target", "web")))
        #expect(paused.status == 200)
        #expect(!paused.families.contains("probe_success") && paused.families.contains("probe_http_status_code"))
        monitor.contextChanged(ProbeContext(), isNewUplink: false)
        #expect(view.answer(.query(("target", "web"))).families.contains("probe_success"))
    }

    @Test func `A target without a result is 503, but where it is paused`() async {
        let monitor = await ProbedMonitor.of(Self.targets)
        let view = ProbeView(targets: monitor)
        monitor.contextChanged(ProbeContext(), isNewUplink: false)
        #expect(view.answer(.query(("target", "web"))).status == 503)
        monitor.contextChanged(ProbeContext(isExpensive: true), isNewUplink: false)
        let paused = view.answer(.query(("target", "web")))
        #expect(paused.status == 200 && paused.families == ["probe_timeout_seconds"])
    }
}
