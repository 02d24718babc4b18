/// What is wrong with a message that came.
enum DNSMessageError: Error, Equatable, CustomStringConvertible {
    /// It ends within a field.
    case truncated(offset: Int)
    case malformed(String, offset: Int)
    /// It answers another question, or none: perhaps a late answer, perhaps a forger's.
    case foreign(String)

    var description: String {
        switch self {
        case .truncated(let offset): "the message ends within the field at byte \(offset)"
        case .malformed(let what, let offset): "malformed \(what) at byte \(offset)"
        case .foreign(let what): what
        }
    }
}
