import Foundation
import Testing

/// Chromium at the status page, driven by `Fixtures/clients/status_page.py`.
final class PageVisit {
    /// One line of what it reports.
    struct Event: Decodable {
        var event: String
        /// Seconds since 1970.
        var at: Double
        var address, live, note, reason, text, title, via, word: String?
        var canTest, isAlone, isEnabled, isPressed, isShown, isStale: Bool?
        var bottom, requirements, stations, width: Int?
        var faults, links, marked, problems, texts, toasts, wrong: [String]?
    }

    private let program: Program
    private var taken = 0

    /// Opens the page in a browser in `namespace`.
    init(_ url: String, _ scenario: String, in namespace: Namespace? = nil) throws {
        let script = "\(Repository.tests)/Fixtures/clients/status_page.py"
        let command = (namespace?.prefix ?? []) + [try Peer.program("python"), script, url, scenario]
        program = try Program(command, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    }

    /// The next event, which must be of this name; nil at the end of the visit.
    func next(_ name: String, or end: String) async throws -> Event? {
        let event = try await next()
        guard event.event != end else {
            #expect(event.problems == [])
            #expect(try await program.status() == 0)
            return nil
        }
        guard event.event == name else { throw Failure(description: "expected \(name): \(event)") }
        return event
    }

    /// The next event, which must be of this name.
    func next(_ name: String) async throws -> Event {
        let event = try await next()
        guard event.event == name else { throw Failure(description: "expected \(name): \(event)") }
        return event
    }

    private func next() async throws -> Event {
        let line = try await poll("an event of the page", within: .seconds(60)) {
            // Before its output is read: it may write an event and end between the two.
            let isRunning = program.isRunning
            let lines = program.output.wholeLines
            if taken < lines.count { return lines[taken] }
            guard isRunning else { throw Failure(description: "the browser: \(program.errors)") }
            return nil
        }
        taken += 1
        return try JSONDecoder().decode(Event.self, from: Data(line.utf8))
    }

    /// The end of the visit, without errors on the console and without requests to other hosts.
    func end() async throws {
        let problems = try await next("end").problems
        #expect(problems == [])
        #expect(try await program.status() == 0)
    }
}
