import Coordination
import FoundationEssentials
import Posix

/// The configuration in force, and the outcome of the last reload.
final class ConfigurationStore: Sendable {
    private struct State {
        var current: Configuration
        var outcome: ReloadOutcome
        /// What was last read, valid or not, so that an invalid file is tried only once.
        var sources: ConfigurationSources
        /// What `current` was read from.
        var good: ConfigurationSources
        /// The configuration file was read since, and refused: the files of its targets alone do not make it valid.
        var isMainRefused = false
        /// Counts the reloads: one that another overtook while it read must read again.
        var version = 0
        var onChange: (@Sendable (Configuration) -> Void)?
        var onAttempt: (@Sendable () -> Void)?
    }

    private let state: Locked<State>
    /// Sets what the command line decides, in each configuration that is read.
    private let override: @Sendable (inout Configuration) -> Void
    /// Throws for a configuration that the command line does not allow.
    private let check: @Sendable (Configuration) throws -> Void
    /// Held while a configuration that was read is applied, so that they are applied in their order.
    private let applying = Locked(())

    /// Reads the file for the first time.
    ///
    /// - Parameters:
    ///   - file: its path; nil: the defaults.
    ///   - override: sets what the command line decides, in this and each later configuration.
    ///   - check: throws for one that the command line does not allow.
    /// - Throws: for an invalid file.
    init(
        file: String?,
        override: @escaping @Sendable (inout Configuration) -> Void = { _ in },
        check: @escaping @Sendable (Configuration) throws -> Void = { _ in }
    ) throws {
        (self.override, self.check) = (override, check)
        var sources = ConfigurationSources(main: file.map(ConfigurationSources.File.init(reading:)))
        let current = try Configuration.read(&sources, override: override)
        try check(current)
        state = Locked(State(current: current, outcome: .success(at: .now), sources: sources, good: sources))
    }

    /// Reads the file of `serve`, by its settings; `web` asks in turn whether its users may go.
    convenience init(_ settings: Settings, _ web: WebConfigurationFile?) throws {
        try self.init(
            file: settings.configFile,
            override: settings.override,
            check: { try settings.check($0, hasUsers: web?.current.users.isEmpty == false) }
        )
        web?.onCheck { [self] new in try settings.check(current, hasUsers: !new.users.isEmpty) }
    }

    /// The configuration in force.
    var current: Configuration { state.withLock { $0.current } }

    /// For metrics.
    var outcome: ReloadOutcome { state.withLock { $0.outcome } }

    /// The files in force that are empty.
    var emptyFiles: [String] { state.withLock { $0.good }.emptyFiles }

    /// The contents of the file and of those of `targets_files`, if they differ from what was last read; else nil.
    var changedSources: ConfigurationSources? {
        let last = state.withLock { $0.sources }
        var now = last
        now.readMain()
        now.readTargetsFiles()
        return now != last ? now : nil
    }

    /// The same for the files of `targets_files` alone.
    var haveTargetsFilesChanged: Bool {
        let last = state.withLock { $0.sources }
        var now = last
        now.readTargetsFiles()
        return now != last
    }

    /// Patterns (`Glob`) of the files that are watched, whatever the flags say.
    var watchedPatterns: [String] {
        state.withLock { state in
            state.sources.patterns + (state.current.path.expensiveFile.map { [Glob.escaped($0)] } ?? [])
        }
    }

    /// Called with each new configuration, on the thread that reloads.
    func onChange(_ body: @escaping @Sendable (Configuration) -> Void) {
        state.withLock { $0.onChange = body }
    }

    /// Called after each reload, successful or not, on the thread that reloads: the patterns may have changed.
    func onAttempt(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onAttempt = body }
    }

    /// Reads all files again and applies them; throws for an invalid one, and the configuration in force stays.
    func reload() throws {
        try reload(readsMain: true)
    }

    /// The same for the files of `targets_files` alone: the configuration file stays as it was when it was last good.
    func reloadTargetsFiles() throws {
        try reload(readsMain: false)
    }

    /// Applies the current configuration again: a file that it refers to has changed.
    func reapply() {
        applying.withLock { _ in
            let (onChange, current) = state.withLock { ($0.onChange, $0.current) }
            onChange?(current)
        }
    }

    /// Files are read without a lock; `readsMain`: the configuration file, too, else its last good content counts.
    private func reload(readsMain: Bool) throws {
        defer { state.withLock { $0.onAttempt }?() }
        while true {
            let last = state.withLock { $0 }
            var sources = last.sources
            if readsMain { sources.readMain() } else { sources.main = last.good.main }
            let new = Result { try configuration(&sources, instead: last) }
            let isApplied = applying.withLock { _ in
                guard state.withLock({ $0.version }) == last.version else { return false }
                apply(new, from: sources, readsMain: readsMain)
                return true
            }
            guard isApplied else { continue }
            return try new.map { _ in () }.get()
        }
    }

    /// The configuration that may replace the one in force.
    private func configuration(_ sources: inout ConfigurationSources, instead last: State) throws -> Configuration {
        let new = try Configuration.read(&sources, override: override)
        if let file = sources.emptied(since: last.good) { throw file }
        try check(new)
        // The C library has one time zone for the process, which other threads read.
        guard new.speedTest.timeZone == last.current.speedTest.timeZone else {
            throw UsageError("speedtest.timezone: a change needs a restart")
        }
        guard new.host == last.current.host else { throw UsageError("host: a change needs a restart") }
        return new
    }

    private func apply(
        _ result: Result<Configuration, any Error>,
        from sources: ConfigurationSources,
        readsMain: Bool
    ) {
        let new = try? result.get()
        let onChange = state.withLock { state in
            state.version += 1
            state.sources = sources
            if readsMain { state.isMainRefused = new == nil && sources.main != state.good.main }
            guard let new else {
                state.outcome.wasSuccessful = false
                return nil as (@Sendable (Configuration) -> Void)?
            }
            let isChanged = state.current != new
            (state.current, state.good) = (new, sources)
            if !state.isMainRefused { state.outcome = .success(at: .now) }
            return isChanged ? state.onChange : nil
        }
        if let new { onChange?(new) }
    }
}

/// The outcome of the last attempt, and when one last succeeded.
struct ReloadOutcome: Sendable, Equatable {
    var wasSuccessful: Bool
    var lastSuccess: Date

    static func success(at date: Date) -> ReloadOutcome { ReloadOutcome(wasSuccessful: true, lastSuccess: date) }
}
