/// What all values of one file share while it is read.
struct YAMLDocument {
    var file: String
    /// Absent where `${` means nothing.
    var expander: Expander?
}
