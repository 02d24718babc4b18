/// A D-Bus property value of one of the types that NetworkManager uses for what we read.
enum PropertyValue: Sendable, Equatable {
    case number(UInt32)
    case flag(Bool)
    case text(String)
    case paths([String])
}
