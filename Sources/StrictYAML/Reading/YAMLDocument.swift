/// What all values of one file share while it is read.
struct YAMLDocument {
    var file: String
    /// Absent where `${` means nothing.
    var expander: Expander?
    let problems = YAMLProblems()
}

/// The errors of one file while it is read.
///
/// A reader of several values throws the first error among them and adds the others here, so that each is kept once.
final class YAMLProblems {
    private var others: [YAMLError] = []

    /// Keeps a further error; false where there are enough of them to end the reading.
    func add(_ error: YAMLError) -> Bool {
        others.append(error)
        return others.count < YAMLErrors.limit
    }

    /// All of them, with the one that was thrown, by line.
    func all(and first: YAMLError) -> YAMLErrors {
        // The standard library's sort is stable, which its documentation does not promise.
        let errors = ([first] + others).enumerated()
        return YAMLErrors(errors.sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element))
    }
}
