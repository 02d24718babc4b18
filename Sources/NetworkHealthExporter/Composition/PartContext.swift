import Logging

/// What every part is made from: the first argument of its initialiser.
///
/// A part takes from it what it needs, and receives each later configuration by `apply`.
struct PartContext: Sendable {
    /// That of the start.
    var configuration: Configuration
    var settings = Settings()
    /// The file, and what earlier processes stored in it.
    let storage: OpenedStorage
    let logger: Logger

    /// What pages of other sites may ask.
    var browsers: BrowserGuard { BrowserGuard(settings) }
}
