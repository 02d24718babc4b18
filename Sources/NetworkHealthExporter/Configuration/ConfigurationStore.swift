import FoundationEssentials
import Locking
import Posix

/// The configuration in force, and how its last reading went.
final class ConfigurationStore: Sendable {
    private struct State {
        var current: Configuration
        var outcome: ReloadOutcome
        /// What was last read, good or bad, so that what is bad is tried only once.
        var sources: ConfigurationSources
        /// The configuration file as it was when it was last good.
        var goodContent: [UInt8]?
        var onChange: (@Sendable (Configuration) -> Void)?
        var onAttempt: (@Sendable () -> Void)?
    }

    /// nil where everything is at its default.
    let file: String?
    private let state: Locked<State>
    /// Held while files are read and applied, so that of two reloads the later one is the last to apply.
    private let reloading = Locked(())

    /// Reads the file for the first time; a bad one throws.
    init(file: String?) throws {
        self.file = file
        var sources = ConfigurationSources(file: file)
        try sources.readFile()
        let current = try Configuration.read(&sources)
        state = Locked(
            State(current: current, outcome: .success(at: .now), sources: sources, goodContent: sources.content)
        )
    }

    /// What holds now.
    var current: Configuration { state.withLock { $0.current } }

    /// For metrics.
    var outcome: ReloadOutcome { state.withLock { $0.outcome } }

    /// What the file, and those of `targets_files`, hold now, where that is not what was last read; else nil.
    ///
    /// A configuration file that is gone has not changed.
    var changedSources: ConfigurationSources? {
        let last = state.withLock { $0.sources }
        var now = last
        guard file != nil, (try? now.readFile()) != nil else { return nil }
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

    /// Called after each reload, good or bad, on the thread that reloads: the patterns may be others.
    func onAttempt(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onAttempt = body }
    }

    /// Reads all files again and applies them; a bad one throws, and what held before goes on holding.
    func reload() throws {
        try reload { sources throws(SystemError) in try sources.readFile() }
    }

    /// The same for the files of `targets_files` alone: the configuration file stays as it was when it was last good.
    func reloadTargetsFiles() throws {
        let content = state.withLock { $0.goodContent }
        try reload { (sources) throws(SystemError) in sources.content = content }
    }

    /// Tells the current configuration once more: what it refers to has changed.
    func reapply() {
        reloading.withLock { _ in
            let (onChange, current) = state.withLock { ($0.onChange, $0.current) }
            onChange?(current)
        }
    }

    private func reload(_ read: (inout ConfigurationSources) throws(SystemError) -> Void) throws {
        defer { state.withLock { $0.onAttempt }?() }
        try reloading.withLock { _ in try readAndApply(read) }
    }

    private func readAndApply(_ read: (inout ConfigurationSources) throws(SystemError) -> Void) throws {
        var sources = state.withLock { $0.sources }
        do {
            try read(&sources)
            let new = try Configuration.read(&sources)
            // The C library's zone is the process's, and other threads read it.
            guard new.speedTest.timeZone == current.speedTest.timeZone else {
                throw UsageError("speedtest.timezone: a change needs a restart")
            }
            let read = sources
            let onChange = state.withLock { state in
                let isChanged = state.current != new
                state.current = new
                state.sources = read
                state.goodContent = read.content
                state.outcome = .success(at: .now)
                return isChanged ? state.onChange : nil
            }
            onChange?(new)
        } catch {
            let read = sources
            state.withLock { state in
                state.sources = read
                state.outcome.wasSuccessful = false
            }
            throw error
        }
    }
}

/// How the last attempt went, and when one last succeeded.
struct ReloadOutcome: Sendable, Equatable {
    var wasSuccessful: Bool
    var lastSuccess: Date

    static func success(at date: Date) -> ReloadOutcome { ReloadOutcome(wasSuccessful: true, lastSuccess: date) }
}
