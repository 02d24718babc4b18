import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath

/// `watch`: a line for each change, until interrupted.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Evaluate the network and print a line for each transition, until interrupted."
    )

    @Flag(name: .customLong("json"), help: "One JSON object a line: a snapshot for each change of it.")
    var json = false

    @OptionGroup var evaluation: LocalEvaluation

    func run() async throws {
        let signals = CaughtSignals()
        try await evaluation.withMonitor(evaluation.configuration()) { host, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await signals.run() }
                group.addTask { for await _ in signals.stops { return } }
                group.addTask { for await _ in signals.hangups { return } }
                group.addTask { try await writeChanges(of: host.health) }
                group.addTask {
                    for await case let failure? in host.path.failures() {
                        StandardError.write("\(failure)\n")
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func writeChanges(of monitor: HealthMonitor) async throws(ExitCode) {
        var last: HealthState?
        for await state in monitor.changes() {
            defer { last = state }
            guard let line = json ? document(last, state) : sentence(last, state) else { continue }
            try StandardOutput.write(line + "\n")
        }
    }

    private func sentence(_ last: HealthState?, _ state: HealthState) -> String? {
        Transition(from: last, to: state).map { transition in
            "\(state.timestamp.formatted(.iso8601)) \(StatusLine.text(transition, state))"
        }
    }

    /// nil where only the times differ.
    private func document(_ last: HealthState?, _ state: HealthState) -> String? {
        let new = SnapshotDocument(state, at: state.timestamp)
        if let last {
            var unchanged = SnapshotDocument(last, at: state.timestamp)
            unchanged.since = new.since
            if unchanged.json == new.json { return nil }
        }
        return String(decoding: new.json, as: UTF8.self)
    }
}
