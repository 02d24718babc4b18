/// What an operator should read about a database.
package enum StorageEvent: Sendable, Equatable, CustomStringConvertible {
    /// A corrupt file was kept under another name, and a new one begun.
    case movedAside(file: String, to: String, reason: String)
    /// From now on nothing is stored, until `available`; the file is tried again meanwhile.
    case unavailable(StorageError)
    /// What is written is stored again.
    case available(file: String)
    /// The file had lost its name: it was written anew from the open database, without a loss.
    case rewritten(file: String)

    package var description: String {
        switch self {
        case .movedAside(let file, let to, let reason):
            "\(file) is corrupt (\(reason)): moved to \(to), and begun anew"
        case .unavailable(let error): "\(error); nothing is stored until that works again"
        case .available(let file): "\(file) is written again"
        case .rewritten(let file): "\(file) was deleted or moved while in use: written anew, nothing is lost"
        }
    }
}
