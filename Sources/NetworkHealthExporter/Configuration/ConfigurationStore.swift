import FoundationEssentials
import Locking
import Posix

/// The configuration in force, and how its last reading went.
final class ConfigurationStore: Sendable {
    private struct State {
        var current: Configuration
        var outcome: ReloadOutcome
        /// What was last read, good or bad, so that the auto-reload tries a bad file only once.
        var content: [UInt8]?
        var onChange: (@Sendable (Configuration) -> Void)?
    }

    /// nil where everything is at its default.
    let file: String?
    private let state: Locked<State>
    /// Held while the file is read and applied, so that of two reloads the later one is the last to apply.
    private let reloading = Locked(())

    /// Reads the file for the first time; a bad one throws.
    init(file: String?) throws {
        self.file = file
        let content = try file.map(Self.read)
        let current = try Configuration.read(content, file: file)
        state = Locked(State(current: current, outcome: .success(at: .now), content: content))
    }

    /// What holds now.
    var current: Configuration { state.withLock { $0.current } }

    /// For metrics.
    var outcome: ReloadOutcome { state.withLock { $0.outcome } }

    /// Whether the file's content is not what was last read; a file that is gone has not changed.
    var hasChanged: Bool {
        guard let file, let content = try? Self.read(file) else { return false }
        return state.withLock { $0.content != content }
    }

    /// Called with each new configuration, on the thread that reloads.
    func onChange(_ body: @escaping @Sendable (Configuration) -> Void) {
        state.withLock { $0.onChange = body }
    }

    /// Reads the file again and applies it; a bad one throws, and what held before goes on holding.
    func reload() throws {
        try reloading.withLock { _ in try readAndApply() }
    }

    private func readAndApply() throws {
        var content: [UInt8]?
        do {
            content = try file.map(Self.read)
            let new = try Configuration.read(content, file: file)
            let onChange = state.withLock { state in
                let isChanged = state.current != new
                state.current = new
                state.content = content
                state.outcome = .success(at: .now)
                return isChanged ? state.onChange : nil
            }
            onChange?(new)
        } catch {
            state.withLock { state in
                state.content = content ?? state.content
                state.outcome.wasSuccessful = false
            }
            throw error
        }
    }

    private static func read(_ file: String) throws(SystemError) -> [UInt8] {
        try SmallFile.read(file, limit: Configuration.fileLimit)
    }
}

/// How the last attempt went, and when one last succeeded.
struct ReloadOutcome: Sendable, Equatable {
    var wasSuccessful: Bool
    var lastSuccess: Date

    static func success(at date: Date) -> ReloadOutcome { ReloadOutcome(wasSuccessful: true, lastSuccess: date) }
}
