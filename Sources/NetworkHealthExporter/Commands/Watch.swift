import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath
import UnixSignals

/// `watch`: a line for each change, until interrupted.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Evaluate the network and print a line for each change, until interrupted."
    )

    @Flag(name: .customLong("json"), help: "One JSON object a line.")
    var json = false

    @OptionGroup var evaluation: Evaluation

    func run() async throws {
        let monitor = try evaluation.startedMonitor()
        defer { monitor.stop() }
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in interrupts { return } }
            group.addTask { for await state in monitor.changes() { write(state) } }
            group.addTask {
                for await case let failure? in monitor.pathMonitor.failures() { StandardError.write("\(failure)\n") }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func write(_ state: HealthState) {
        // Through a pipe each line shall arrive as it is written.
        if json {
            StandardOutput.write(String(decoding: SnapshotDocument(state).json, as: UTF8.self) + "\n")
        } else {
            let device = state.path.interface.map { " (\($0.name))" } ?? ""
            StandardOutput.write("\(state.timestamp.formatted(.iso8601)) \(StatusLine.text(state))\(device)\n")
        }
    }
}
