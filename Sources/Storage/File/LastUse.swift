/// How a database was left, which its lock file keeps as a word.
enum LastUse: String {
    /// Closed in order: opening it needs no look at every page.
    case closed
    /// It is open; or, when nobody holds the lock, its process was killed.
    case open
    /// A statement came upon damage.
    case suspect
}
