import ArgumentParser
import Glibc
import Posix
import StrictYAML

/// Runs the command that the process's arguments name, and ends the process.
package func runCommand() async { await NetworkHealthExporter.main() }

/// The command: `network-health-exporter [SUBCOMMAND]`.
struct NetworkHealthExporter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Version.name,
        abstract: "A Prometheus exporter for the health of this host's network.",
        discussion: "Each flag of serve has an environment variable: --web.listen-address is NHE_WEB_LISTEN_ADDRESS.",
        version: Version.text,
        subcommands: [
            Serve.self, Snapshot.self, Check.self, Watch.self, SpeedTest.self, Diagnose.self, PrintReport.self,
            HistoryFile.self, Requests.self, HealthCheck.self,
        ],
        defaultSubcommand: Serve.self
    )

    static func main() async {
        // libdispatch ends the process where it can open no descriptor, and probes need one each.
        DescriptorReserve.raiseLimit()
        if let answer = CompletionShell.answer(CommandLine.arguments) {
            try? StandardOutput.write(raw: answer)
            end(EXIT_SUCCESS)
        }
        do {
            if let flag = flagWithOneDash {
                throw ValidationError("Unknown option \(JSONText.quoted(flag)): flags begin with two dashes")
            }
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
        let message = unknownCommand ?? message(for: error)
        StandardError.write("Error: \(message)\nSee '\(Version.name) \(helpfulCommand)--help'.\n")
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

    private static let commands = configuration.subcommands.map { $0._commandName }

    /// The word in the place of a command; nil without one.
    private static var commandWord: String? {
        CommandLine.arguments.dropFirst().first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    }

    /// What is wrong with the word in the place of a command; nil where it is one.
    private static var unknownCommand: String? {
        guard let word = commandWord, !commands.contains(word) else { return nil }
        let hint =
            closest(to: word, among: commands).map { "Did you mean '\($0)'?" }
            ?? "The commands are \(commands.joined(separator: ", "))."
        return "Unknown command '\(word)'. \(hint)"
    }

    /// The first flag such as `-config.check`: its `h` would be taken for `-h`, and the exit status be 0.
    private static var flagWithOneDash: String? {
        CommandLine.arguments.dropFirst().prefix { $0 != "--" }.lazy
            .filter { $0.hasPrefix("-") && !$0.hasPrefix("--") }
            .compactMap { $0.split(separator: "=").first.map(String.init) }.first { $0.contains(".") }
    }

    /// The subcommand that was meant, with a space behind it; empty for a word that is none.
    private static var helpfulCommand: String {
        guard let word = commandWord else { return "\(Serve._commandName) " }
        return commands.contains(word) ? "\(word) " : ""
    }
}
