/// Reads files: bytes in, a value out, or errors that name line, key and expectation.
package enum YAML {
    /// Reads one document as a value of the given type.
    package static func read<Value>(
        _ bytes: Span<UInt8>,
        file: String,
        as type: YAMLType<Value>,
        expander: Expander = Expander(),
        limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLErrors) -> Value {
        try YAMLDocument(bytes, file: file, expander: expander, limits: limits).read(as: type)
    }

    /// The tree of one document; an empty document is an empty plain scalar, which reads as an empty mapping or list.
    package static func parse(
        _ bytes: Span<UInt8>,
        file: String,
        limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLError) -> YAMLNode {
        try validateText(bytes, file: file, limit: limits.bytes)
        var composer = YAMLComposer(bytes, file: file, limits: limits)
        return try composer.document()
    }
}

/// A parsed file.
package struct YAMLDocument {
    let file: String
    /// nil where `${` is plain text.
    var expander: Expander?
    let problems = YAMLProblems()
    private let node: YAMLNode

    package init(
        _ bytes: Span<UInt8>,
        file: String,
        expander: Expander? = Expander(),
        limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLErrors) {
        self.file = file
        self.expander = expander
        do throws(YAMLError) {
            node = try YAML.parse(bytes, file: file, limits: limits)
        } catch {
            throw YAMLErrors(error)
        }
    }

    /// The whole document, from which a rule between values finds the line for its error.
    package var root: YAMLCursor { YAMLCursor(node: node, path: "", document: self) }

    /// Reads the document, once.
    package func read<Value>(as type: YAMLType<Value>) throws(YAMLErrors) -> Value {
        do throws(YAMLError) {
            return try type.read(root)
        } catch {
            throw problems.all(and: error)
        }
    }
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

/// The limits of a document.
package struct YAMLLimits: Sendable {
    /// The maximum size of the file.
    package var bytes = 1 << 20
    /// The maximum depth of nested lists and mappings, aliases included.
    package var depth = 64
    /// The maximum number of nodes to which all aliases expand: a few lines of aliases of aliases expand to billions.
    package var aliasedNodes = 10_000

    package init() {}
}

/// Refuses a text that is too large or not UTF-8 before libyaml parses it, whose own messages give byte offsets.
private func validateText(_ bytes: Span<UInt8>, file: String, limit: Int) throws(YAMLError) {
    guard bytes.count <= limit else {
        throw YAMLError(file: file, line: 1, message: "larger than \(limit) bytes")
    }
    do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes)
    } catch {
        throw YAMLError(
            file: file,
            line: line(of: error.byteOffsets.lowerBound, in: bytes),
            message: "expected UTF-8 text"
        )
    }
    for offset in bytes.indices where bytes[offset] == 0 {
        throw YAMLError(file: file, line: line(of: offset, in: bytes), message: "a NUL character is not allowed")
    }
}

/// The line of a byte, counted from 1.
private func line(of offset: Int, in bytes: Span<UInt8>) -> Int {
    bytes.extracting(first: offset).indices.count { bytes[$0] == UInt8(ascii: "\n") } + 1
}
