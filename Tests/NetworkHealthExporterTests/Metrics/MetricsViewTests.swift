import MicroHTTP
import PrometheusExposition
import Testing

@testable import NetworkHealthExporter

struct MetricsViewTests {
    private let view = MetricsView(collectors: [
        Collector("test") {
            [
                .gauge("a_gauge", help: "A.", value: 1), .counter("b_total", help: "B.", value: 2),
                .histogram("c_seconds", help: "C.", value: Histogram(bounds: [1])),
            ]
        }
    ])

    private func text(_ names: [String] = [], accept: String? = nil) throws -> (text: String, type: String?) {
        var request = Request(query: names.map { Request.QueryItem(name: "name[]", value: $0) })
        request.headers["Accept"] = accept
        let response = view.answer(request)
        let bytes: [UInt8]
        switch response.body {
        case .bytes(let whole): bytes = whole
        case .parts(let parts): bytes = parts.flatMap(\.bytes)
        default: throw CancellationError()
        }
        #expect(response.status == 200 && response.isCompressible)
        return (String(decoding: bytes, as: UTF8.self), response.headers["Content-Type"])
    }

    private func families(_ names: [String]) throws -> [String] {
        try text(names).text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
            .compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
    }

    @Test func `without a filter prints everything`() throws {
        let families = try families([])
        #expect(
            families == [
                "network_health_exporter_collector_success", "network_health_exporter_collector_duration_seconds",
                "a_gauge", "b_total", "c_seconds",
            ]
        )
    }

    @Test(arguments: [
        (["a_gauge"], ["a_gauge"]), (["b_total", "a_gauge"], ["a_gauge", "b_total"]),
        (["c_seconds_bucket"], ["c_seconds"]),
        (["c_seconds_count"], ["c_seconds"]), (["nothing"], []), ([""], []), (["a"], []),
        (
            ["network_health_exporter_collector_success"], ["network_health_exporter_collector_success"]
        ),
    ])
    func `a filter names samples`(names: [String], expected: [String]) throws {
        #expect(try families(names) == expected)
    }

    @Test func `prints the format that the client prefers`() throws {
        let plain = try text(["b_total"])
        #expect(plain.type == "text/plain; version=0.0.4; charset=utf-8")
        #expect(plain.text == "# HELP b_total B.\n# TYPE b_total counter\nb_total 2\n")
        let open = try text(["b_total"], accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
        #expect(open.type == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(open.text == "# HELP b B.\n# TYPE b counter\nb_total 2\n# EOF\n")
    }
}
