import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath

/// `watch`: a line for each change, until interrupted.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Evaluate the network and print a line for each change, until interrupted."
    )

    @Flag(name: .customLong("json"), help: "One JSON object a line.")
    var json = false

    @OptionGroup var evaluation: Evaluation

    func run() async throws {
        let signals = CaughtSignals()
        try await evaluation.withMonitor(evaluation.configuration()) { monitor in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await signals.run() }
                group.addTask { for await _ in signals.stops { return } }
                group.addTask { for await _ in signals.hangups { return } }
                group.addTask { try await writeChanges(of: monitor) }
                group.addTask {
                    for await case let failure? in monitor.pathMonitor.failures() {
                        StandardError.write("\(failure)\n")
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func writeChanges(of monitor: HealthMonitor) async throws(ExitCode) {
        var last: String?
        for await state in monitor.changes() {
            // Not all that changes is shown.
            let shown = text(state, at: nil)
            guard shown != last else { continue }
            last = shown
            // Through a pipe each line shall arrive as it is written.
            try StandardOutput.write(text(state, at: state.timestamp) + "\n")
        }
    }

    private func text(_ state: HealthState, at timestamp: Date?) -> String {
        if json {
            var document = SnapshotDocument(state)
            document.timestamp = timestamp ?? .distantPast
            return String(decoding: document.json, as: UTF8.self)
        }
        let device = state.path.interface.map { " (\($0.name))" } ?? ""
        return "\(timestamp.map { $0.formatted(.iso8601) } ?? "") \(StatusLine.text(state))\(device)"
    }
}
