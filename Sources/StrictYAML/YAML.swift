/// The way into this module: a file's bytes in, a value out, or errors that name line, key and expectation.
package enum YAML {
    /// Reads one document as a value of the given type.
    package static func read<Value>(
        _ bytes: Span<UInt8>,
        file: String,
        as type: YAMLType<Value>,
        expander: Expander = Expander(),
        limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLErrors) -> Value {
        let document = YAMLDocument(file: file, expander: expander)
        do throws(YAMLError) {
            let root = try parse(bytes, file: file, limits: limits)
            return try type.read(YAMLCursor(node: root, path: "", document: document))
        } catch {
            throw document.problems.all(and: error)
        }
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
