import Foundation
import Testing

extension ExporterProcess {
    /// Hundredths of a second of processor time since its start.
    func processorTicks() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(program.identifier)/stat", encoding: .utf8)
        // The name in parentheses may contain spaces; user and system time are the 14th and 15th fields.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        let times = try [12, 13].map { try #require(fields.dropFirst($0).first.flatMap { Int($0) }, "\(text)") }
        return times[0] + times[1]
    }

    /// How many threads and open files it has.
    func threadsAndFiles() throws -> (threads: Int, files: Int) {
        let counts = try ["task", "fd"].map {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.identifier)/\($0)").count
        }
        return (counts[0], counts[1])
    }

    /// Numbers of a scrape by their names with labels.
    func numbers() async throws -> [String: Double] {
        try await request("/metrics").samples.compactMapValues(Double.init)
    }

    /// Waits until a sample has a value.
    func wait(for name: String, _ value: String, within limit: Duration = .seconds(20)) async throws {
        try await poll("\(name) \(value)", within: limit) { try await sample(name) == value ? true : nil }
    }
}
