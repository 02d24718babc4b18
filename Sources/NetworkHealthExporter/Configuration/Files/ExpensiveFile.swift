import Posix

/// The file of `path.expensive_file`: 1 for a path that costs money, 0 for one that does not.
struct ExpensiveFile: Sendable {
    /// What it says at one moment.
    enum Content: Sendable, Equatable {
        case verdict(Bool)
        /// Missing, or another content: no opinion.
        case unusable(String)
    }

    let path: String

    func read() -> Content {
        do throws(SystemError) {
            switch String(decoding: try SmallFile.read(path, limit: 4096), as: UTF8.self).trimmed {
            case "0": return .verdict(false)
            case "1": return .verdict(true)
            default: return .unusable("\(path): expected 0 or 1")
            }
        } catch {
            return .unusable("\(error)")
        }
    }

    /// nil: no opinion.
    var verdict: Bool? {
        guard case .verdict(let value) = read() else { return nil }
        return value
    }
}
