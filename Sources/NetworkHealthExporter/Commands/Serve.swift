import ArgumentParser
import Glibc
import HTTPTransfer
import Logging
import MicroHTTP

/// `serve`, the default: runs the monitor core and the web server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the monitor and the web server until SIGTERM or SIGINT."
    )

    @OptionGroup var options: Options

    /// The URL by which browsers reach the server: the external one, else that of its first address; nil for Unix sockets.
    private static func base(_ web: WebServer, _ settings: Settings) -> String? {
        if let url = settings.externalURL { return url.origin + settings.routePrefix }
        let address = web.addresses.first { $0.path == nil }
        return address.map { ExporterClient.url(web.usesTLS ? "https" : "http", $0, settings.routePrefix) }
    }

    func run() async throws {
        let settings = try usage { try Settings(options, .process) }
        LoggingSystem.bootstrap { _ in LineLogHandler(settings.log) }
        let logger = Logger(label: Version.name)
        for warning in Environment.process.warnings + settings.warnings { logger.warning("\(warning)") }
        do {
            if settings.onlyChecks {
                let web = try settings.webConfigFile.map { try WebConfigurationFile($0, logger: logger) }
                try ConfigurationStore(settings, web).warnOfEmptyFiles(logger)
                logger.info(
                    "The configuration is valid",
                    metadata: [
                        "file": "\(settings.configFile ?? "none")", "web": "\(settings.webConfigFile ?? "none")",
                    ]
                )
                return
            }
            logger.info(
                "Starting \(Version.name)",
                metadata: ["version": "\(Version.number)", "revision": "\(Version.revision)"]
            )
            if geteuid() == 0 { logger.warning("Running as root, which is not needed: use an unprivileged user") }
            try StartLimits.check()
            let exporter = try await Exporter(settings: settings, logger: logger)
            for address in exporter.web.addresses {
                logger.info("Listening on", metadata: ["address": "\(address)"])
            }
            // As Prometheus' exporters log it.
            logger.info(
                exporter.web.usesTLS ? "TLS is enabled." : "TLS is disabled.",
                metadata: exporter.web.usesTLS ? ["http2": "false"] : [:]
            )
            if let base = Self.base(exporter.web, settings) {
                let page = settings.telemetryPath == "/" ? [:] : ["page": "\(base)/" as Logger.MetadataValue]
                let others: Logger.Metadata = [
                    "metrics": "\(base)\(settings.telemetryPath)", "health": "\(base)\(HealthView.path)",
                ]
                logger.info("Serving", metadata: others.merging(page) { $1 })
            }
            try await exporter.run()
            logger.info("Stopped")
        } catch {
            for line in error.lines { logger.error("\(line)") }
            throw ExitCode(1)
        }
    }
}

/// Runs `body`; an error in flags or variables exits with status 64, like ArgumentParser's own errors.
func usage<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as UsageError {
        throw ValidationError(error.description)
    }
}
