import ArgumentParser
import Glibc
import Posix

/// Runs the command that the process's arguments name, and ends the process.
package func runCommand() async { await NetworkHealthExporter.main() }

/// The command: `network-health-exporter [SUBCOMMAND]`.
struct NetworkHealthExporter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Version.name,
        abstract: "A Prometheus exporter for the health of this host's network.",
        discussion: "Each flag has an environment twin: --web.listen-address is NHE_WEB_LISTEN_ADDRESS.",
        version: Version.text,
        subcommands: [
            Serve.self, Snapshot.self, Check.self, Watch.self, SpeedTest.self, Diagnose.self, PrintReport.self,
            Requests.self, HealthCheck.self,
        ],
        defaultSubcommand: Serve.self
    )

    static func main() async {
        // libdispatch ends the process where it can open no descriptor, and probes need one each.
        DescriptorReserve.raiseLimit()
        do {
            var command = try parseAsRoot()
            // These two wait for signals; the others are ended by them.
            if !(command is Serve || command is Watch) { CaughtSignals.restore() }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            end(EXIT_SUCCESS)
        } catch {
            end(report(error))
        }
    }

    /// Writes what is to be said about an error, or the help that was asked for; returns the exit status.
    private static func report(_ error: any Error) -> Int32 {
        let code = exitCode(for: error)
        guard code == .validationFailure else {
            let text = fullMessage(for: error)
            guard !text.isEmpty else { return code.rawValue }
            if code.isSuccess { print(text) } else { StandardError.write(text + "\n") }
            return code.rawValue
        }
        StandardError.write("Error: \(message(for: error))\nSee '\(Version.name) \(helpfulCommand)--help'.\n")
        // What cannot be read must not skip a systemd unit in silence; see `Check`.
        let isCondition = CommandLine.arguments.contains("--systemd-condition")
        return Check.Outcome.usage.status(forSystemd: isCondition)
    }

    /// Ends the process without the destructors of the libraries: a thread of libcurl, or one that waits for a name
    /// server, may still use them.
    private static func end(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }

    /// The subcommand that was meant, with a space behind it; empty for a word that is none.
    private static var helpfulCommand: String {
        let names = configuration.subcommands.map { $0._commandName }
        guard let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-") else {
            return "\(Serve._commandName) "
        }
        return names.contains(word) ? "\(word) " : ""
    }
}
