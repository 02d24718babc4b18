/// What an operator should read about a database.
package enum StorageEvent: Sendable, Equatable, CustomStringConvertible {
    /// A corrupt file was kept under another name, and a new one begun.
    case movedAside(file: String, to: String, reason: String)

    package var description: String {
        switch self {
        case .movedAside(let file, let to, let reason):
            "\(file) is corrupt (\(reason)): moved to \(to), and begun anew"
        }
    }
}
