import ArgumentParser
import Posix

/// The command: `network-health-exporter [SUBCOMMAND]`.
@main
struct NetworkHealthExporter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Version.name,
        abstract: "A Prometheus exporter for the health of this host's network.",
        discussion: "Each flag has an environment twin: --web.listen-address is NHE_WEB_LISTEN_ADDRESS.",
        version: Version.text,
        subcommands: [Serve.self, Snapshot.self, Check.self, Watch.self, SpeedTest.self, HealthCheck.self],
        defaultSubcommand: Serve.self
    )

    /// A command line that cannot be read must not skip a systemd unit in silence; see `Check`.
    static func main() async {
        // libdispatch ends the process where it can open no descriptor, and probes need one each.
        DescriptorReserve.raiseLimit()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let isUsage = exitCode(for: error) == .validationFailure
            guard isUsage, CommandLine.arguments.contains("--systemd-condition") else { exit(withError: error) }
            StandardError.write(fullMessage(for: error) + "\n")
            exit(withError: ExitCode(Check.Outcome.usage.status(forSystemd: true)))
        }
    }
}
