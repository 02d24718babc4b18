import ArgumentParser
import Glibc
import Logging
import UnixSignals

/// `serve`, the default: runs the monitor core and the web server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the monitor and the web server until SIGTERM or SIGINT."
    )

    @OptionGroup var options: Options

    func run() async throws {
        let settings = try usage { try Settings(options, .process) }
        LoggingSystem.bootstrap { _ in LineLogHandler(settings.log) }
        let logger = Logger(label: Version.name)
        // Until the reloads are set up it has nothing to do, and must not end the process.
        signal(SIGHUP, SIG_IGN)
        do {
            if settings.onlyChecks {
                _ = try ConfigurationStore(file: settings.configFile)
                logger.info("Configuration is right", metadata: ["file": "\(settings.configFile ?? "none")"])
                return
            }
            logger.info(
                "Starting \(Version.name)",
                metadata: ["version": "\(Version.number)", "revision": "\(Version.revision)"]
            )
            if geteuid() == 0 { logger.warning("Running as root, which is not needed: use an unprivileged user") }
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            let exporter = try await Exporter(settings: settings, logger: logger)
            for address in exporter.addresses {
                logger.info("Listening on", metadata: ["address": "\(address)"])
            }
            logger.info("TLS is disabled.")
            try await exporter.run(until: signals)
        } catch {
            logger.error("\(error)")
            throw ExitCode(1)
        }
    }
}

/// Runs `body`; what is wrong with flags or variables exits with status 64, as ArgumentParser's own refusals do.
func usage<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as UsageError {
        throw ValidationError(error.description)
    }
}
