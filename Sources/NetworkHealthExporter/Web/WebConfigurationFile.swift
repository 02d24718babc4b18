import Coordination
import Logging
import MicroHTTP

/// The file of `--web.config.file`, read again when it, or a file that it names, has changed.
///
/// Each request and each handshake look at the files' stamps, so that new users and certificates count from then on.
final class WebConfigurationFile: Sendable {
    private struct Reading {
        var state: WebConfigurationState
        /// The files that were read, with their stamps from before.
        var stamps: [String: FileStamp?]
        /// Throws where a configuration is not allowed beside the configuration file.
        var check: (@Sendable (WebConfiguration) throws -> Void)?
    }

    private let path: String
    private let logger: Logger
    private let reading: Locked<Reading>
    /// Whether the server speaks TLS, which a running one cannot change.
    let usesTLS: Bool

    /// Reads it for the first time.
    ///
    /// - Throws: what is wrong with it, or with a file that it names.
    init(_ path: String, logger: Logger) throws {
        (self.path, self.logger) = (path, logger)
        var files: [String] = []
        let loaded = try LoadedWebConfiguration(path, files: &files)
        usesTLS = loaded.context != nil
        // Without stamps: a change since then is found by the first request.
        reading = Locked(Reading(state: WebConfigurationState(loaded), stamps: [:]))
    }

    /// The configuration in force.
    var current: WebConfiguration { reading.withLock { $0.state.current.configuration } }

    /// Sets what each new configuration is checked by.
    func onCheck(_ check: @escaping @Sendable (WebConfiguration) throws -> Void) {
        reading.withLock { $0.check = check }
    }

    /// Who is answered at this moment.
    @Sendable func policy() -> Server.AccessPolicy {
        refresh()
        return reading.withLock { $0.state.policy }
    }

    /// The certificates of a handshake at this moment; nil: it fails.
    @Sendable func context() -> TLSContext? {
        refresh()
        return reading.withLock { $0.state.context(at: .now) }
    }

    private func refresh() {
        let (last, stamps, check) = reading.withLock { ($0.state.current, $0.stamps, $0.check) }
        guard stamps.isEmpty || stamps.contains(where: { $1 != FileStamp($0) || $1?.isRecent == true }) else { return }
        var files = [path] + last.configuration.tls.files
        var new = Dictionary(uniqueKeysWithValues: Set(files).map { ($0, FileStamp($0)) })
        let result = read(after: last, check, files: &files)
        // A file that was named just now is read once more by the next request.
        for file in files where new[file] == nil { new[file] = .some(nil) }
        let isNew = reading.withLock { reading in
            reading.stamps = new.filter { files.contains($0.key) }
            return reading.state.take(result, at: .now)
        }
        if isNew { log(result) }
    }

    private func read(
        after last: LoadedWebConfiguration,
        _ check: (@Sendable (WebConfiguration) throws -> Void)?,
        files: inout [String]
    ) -> Result<LoadedWebConfiguration, LoadedWebConfiguration.Failure> {
        do throws(LoadedWebConfiguration.Failure) {
            let new = try LoadedWebConfiguration(path, after: last, files: &files)
            if let reason = mistake(in: new.configuration, check) { return .failure(reason) }
            return .success(new)
        } catch {
            // Its users are to count, though its certificates cannot be used.
            if case .certificates(_, let new?) = error, let reason = mistake(in: new, check) {
                return .failure(reason)
            }
            return .failure(error)
        }
    }

    /// Why a configuration may not be in force, whatever its certificates are; nil: it may.
    private func mistake(
        in new: WebConfiguration,
        _ check: (@Sendable (WebConfiguration) throws -> Void)?
    ) -> LoadedWebConfiguration.Failure? {
        guard new.tls.isEnabled == usesTLS else {
            return .configuration("\(path): TLS is turned on or off only by a restart")
        }
        do {
            try check?(new)
        } catch {
            return .configuration("\(path): \(error)")
        }
        return nil
    }

    private func log(_ result: Result<LoadedWebConfiguration, LoadedWebConfiguration.Failure>) {
        switch result {
        case .success: logger.info("Web configuration read again", metadata: ["file": "\(path)"])
        case .failure(let error):
            for line in error.lines { logger.error("Web configuration unusable: \(line)") }
        }
    }
}
