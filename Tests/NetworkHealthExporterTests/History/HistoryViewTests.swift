import Foundation
import Logging
import MicroHTTP
import NetworkHealth
import Probing
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct HistoryViewTests {
    private let recorder: HistoryRecorder
    private let view: HistoryView

    init() throws {
        recorder = try HistoryRecorder.inMemory()
        view = HistoryView(recorder: recorder)
    }

    private func answer(_ query: [String: String]) async -> Response {
        await view.answer(Request(query: query.map { Request.QueryItem(name: $0.key, value: $0.value) }))
    }

    private func text(_ response: Response) -> String {
        if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "a stream" }
    }

    @Test(arguments: [
        ("json", "application/json"), ("csv", "text/csv; charset=utf-8"),
        ("openmetrics", "application/openmetrics-text; version=1.0.0; charset=utf-8"),
    ])
    func `each format has its type`(format: String, type: String) async {
        for kind in HistoryQuery.Kind.allCases {
            let response = await answer(["kind": kind.rawValue, "format": format])
            #expect(response.status == 200 && response.headers["Content-Type"] == type)
        }
    }

    @Test func `rows that wait to be written are included, and no future ones`() async throws {
        let now = Date.now.timeIntervalSince1970
        var target = ProbedTarget()
        target.probe(5)
        recorder.sample(target.sources, at: now - 120)
        recorder.sample(LatencySources(), at: now)
        #expect(recorder.backlog.minutes.count == 1)
        #expect(text(await answer(["kind": "latency"])).contains("\"p50\":0.005"))
        await recorder.flush()
        #expect(text(await answer(["kind": "latency"])).split(separator: "}").count == 2)
        #expect(text(await answer(["kind": "latency", "since": "2999-01-01T00:00:00Z"])) == "[]")
        #expect(text(await answer(["kind": "latency", "since": "0"])) == "[]")
    }

    @Test func `A history that cannot be read is logged once a minute, not at each request`() async throws {
        let log = LogRecorder()
        let view = HistoryView(recorder: HistoryRecorder(database: recorder.database, logger: log.logger))
        await recorder.database.close()
        for _ in 0..<3 {
            let response = await view.answer(Request(query: [Request.QueryItem(name: "kind", value: "latency")]))
            #expect(response.status == 500)
        }
        log.logger.info("the end")
        #expect(await log.next()?.hasPrefix("warning The history cannot be read: ") == true)
        #expect(await log.next() == "info the end")
    }

    @Test func `a long answer is a stream`() async throws {
        let now = (Date.now.timeIntervalSince1970 / 60).rounded() * 60
        try await recorder.database.write { transaction in
            try LatencyHistory.add((1...1000).map { LatencyRow(at: now - Double($0) * 60) }, in: transaction)
        }
        guard case .stream = await answer(["kind": "latency"]).body else { return #expect(Bool(false)) }
        #expect(text(await answer(["kind": "latency", "since": "1h"])).split(separator: "}").count > 50)
    }

    @Test func `a bad request is refused as JSON, and a database that is gone is no crash`() async {
        let refused = await answer(["kind": "a\"b"])
        #expect(refused.status == 400 && refused.headers["Content-Type"] == "application/json")
        #expect(
            text(refused)
                == #"{"error":"unknown kind \"a\"b\"; one of: transitions, outages, uplink_outages, gaps, speedtests, latency, points"}"#
                .replacing(
                    "a\"b",
                    with: "a\\\"b"
                )
        )
        await recorder.database.close()
        let failed = await answer(["kind": "latency"])
        #expect(failed.status == 500)
        #expect(text(failed) == #"{"error":"the history cannot be read; see the log"}"#)
    }
}
