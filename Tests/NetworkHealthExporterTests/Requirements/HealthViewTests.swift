import Coordination
import Foundation
import MicroHTTP
import NetworkPath
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct HealthViewTests {
    private static let known = "requirement, quality, uplink, allow_expensive, max_age, wait, format"

    private let monitor = HealthMonitor()
    private let view: HealthView

    init() {
        let requirements = RequirementEvaluator(monitor: monitor, configuration: Configuration())
        view = HealthView(requirements: requirements, latency: { nil }, nextMeasurement: { nil })
    }

    private func receive(_ state: HealthState) {
        monitor.receive(PathUpdate(path: state.path, changes: [], generation: 1, evidenceAt: .now, publishedAt: .now))
    }

    private func request(_ query: String) -> Request {
        let items = query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return Request.QueryItem(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return Request(query: items)
    }

    private func text(_ response: Response) -> String {
        if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "a stream" }
    }

    /// A wait of five minutes that ends earlier was ended by a verdict that passed: no other answer is true.
    @Test func `the verdict that ends a wait is the answer, whatever follows it`() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    for state in [HealthState.online(), .offline()] {
                        receive(state)
                        await Task.yield()
                    }
                }
            }
            for _ in 0..<200 {
                let response = await view.wait(request("wait=5m"))
                #expect(response.status == 200 && text(response) == "online\n")
            }
            group.cancelAll()
        }
    }

    @Test func `a wait that ends without a pass is answered as at its end`() async {
        receive(.offline())
        let response = await view.wait(request("wait=1ms"))
        #expect(response.status == 503 && text(response) == "offline\n")
    }

    @Test(arguments: [
        ("allow_expensiv=false", "unknown parameter \"allow_expensiv\"; one of: \(known)"),
        ("requirement=online&cache=1", "unknown parameter \"cache\"; one of: \(known)"),
        ("wait=10m", "wait: expected a duration such as 30s or 2m, at most 5m, found \"10m\""),
        ("wait=soon", "wait: expected a duration such as 30s or 2m, at most 5m, found \"soon\""),
        ("wait=1s&wait=1s", "wait: given 2 times"), ("format=json&format=json", "format: given 2 times"),
        ("format=xml", "format: expected json or text, found \"xml\""),
        ("requirement=custom", "quality: requirement=custom needs one of excellent, good, moderate, poor"),
        (
            "requirement=custom&quality=Good",
            "quality: expected one of excellent, good, moderate, poor, found \"Good\""
        ),
        ("quality=good", "quality: only requirement=custom takes it"),
        ("requirement=online&quality=good", "quality: only requirement=custom takes it"),
        ("max_age=30m", "max_age: the requirement online does not depend on a speed, and only speeds have an age"),
        ("allow_expensive=yes", "allow_expensive: expected true or false, found \"yes\""),
    ])
    func `a mistake is refused with a message about it`(query: String, message: String) {
        receive(.online())
        let response = view.answer(request(query))
        #expect(response.status == 400)
        let isJSON = response.headers["Content-Type"] == "application/json"
        #expect(text(response) == (isJSON ? "{\"error\":\(JSONText.quoted(message))}" : message + "\n"))
    }

    @Test(arguments: [
        ("requirement=nope", "unknown requirement \"nope\""), ("requirement=", "empty requirement"),
        ("requirement=online&requirement=online", "requirement: given 2 times"),
    ])
    func `a mistake about the requirement lists the known ones`(query: String, message: String) {
        let names = "online, unmetered, basicBrowsing, imageLoading, videoStreaming, largeDownload, largeUpload"
        #expect(text(view.answer(request(query))) == "\(message); one of: \(names), custom&quality=\n")
    }

    @Test(arguments: ["", "requirement=largeDownload&max_age=30m", "allow_expensive=false&format=text", "wait=5m"])
    func `a valid query is answered`(query: String) {
        receive(.online())
        #expect([200, 503].contains(view.answer(request(query)).status))
    }
}
