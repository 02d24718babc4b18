import ArgumentParser

/// The command: `network-health-exporter [SUBCOMMAND]`.
@main
struct NetworkHealthExporter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Version.name,
        abstract: "A Prometheus exporter for the health of this host's network.",
        discussion: "Each flag has an environment twin: --web.listen-address is NHE_WEB_LISTEN_ADDRESS.",
        version: Version.text,
        subcommands: [Serve.self, Snapshot.self, Watch.self, SpeedTest.self, HealthCheck.self],
        defaultSubcommand: Serve.self
    )
}
