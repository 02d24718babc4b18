/// How much a document may ask of its reader.
package struct YAMLLimits: Sendable {
    /// The size of the file.
    package var bytes = 1 << 20
    /// How deep lists and mappings may be nested, aliases included.
    package var depth = 64
    /// How many nodes all aliases together may stand for: a few lines of aliases of aliases mean billions.
    package var aliasedNodes = 10_000

    package init() {}
}
