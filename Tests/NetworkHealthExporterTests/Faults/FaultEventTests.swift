import Foundation
import NetworkHealth
import Testing

@testable import NetworkHealthExporter

struct FaultEventTests {
    private let now = ContinuousClock.now
    private let date = Date(timeIntervalSince1970: 1_790_000_000)

    private func event(isOver: Bool) -> FaultEvent {
        let observations = ["192.168.1.1 answers.", "198.51.100.1 is silent."].map {
            FaultObservation(.silence, at: now, says: $0)
        }
        let fault = Fault(.access, .outage, since: now - .milliseconds(90_250), observations)
        return FaultEvent(fault, at: now, date: date, isOver: isOver)
    }

    private func schema(_ name: String) throws -> [String: Any] {
        let text = OpenAPIDocument.text(Settings())
        let whole = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let components = whole?["components"] as? [String: [String: Any]]
        return try #require(components?["schemas"]?[name] as? [String: Any])
    }

    @Test func `an event has the place, whom to call, and the evidence in sentences`() {
        #expect(
            String(decoding: event(isOver: false).json, as: UTF8.self) == """
                {"call":"check modem and cables, then call the provider","ended":null,\
                "evidence":["192.168.1.1 answers.","198.51.100.1 is silent."],"kind":"outage","location":"access",\
                "seconds":90.25,"sentence":"No connection on the line to your provider. Whom to call: check modem and cables, \
                then call the provider.","since":"2026-09-21T14:11:49Z",\
                "title":"No connection on the line to your provider"}
                """
        )
        let ended = event(isOver: true)
        #expect(ended.ended == date && ended.seconds == 90.25)
        #expect(ended.sentence == "No connection on the line to your provider: over after 90 s.")
    }

    @Test func `the description of the API has its fields, and every place and kind`() throws {
        let json = try JSONSerialization.jsonObject(with: Data(event(isOver: true).json)) as? [String: Any]
        let fields = try ["Fault", "FaultEvent"].flatMap { try schema($0)["required"] as? [String] ?? [] }
        #expect(Set(fields) == Set(try #require(json).keys))
        #expect(try schema("FaultLocation")["enum"] as? [String] == FaultLocation.allCases.map(\.rawValue))
        #expect(try schema("FaultKind")["enum"] as? [String] == FaultKind.allCases.map(\.rawValue))
    }

    /// One table, of which pages and alerts have the words.
    @Test func `the page has for each place the kinds and whom to call`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/where.md")
        let page = try String(contentsOf: file.standardized, encoding: .utf8)
        for place in FaultLocation.allCases {
            let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(place.rawValue)` |") })
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(cells[2] == place.kinds.map(\.rawValue).joined(separator: ", ") && cells[3] == place.call)
        }
    }
}
