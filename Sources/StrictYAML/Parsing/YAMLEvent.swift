/// One step of a document, copied out of libyaml.
struct YAMLEvent {
    enum Kind {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias(String)
        case scalar(String, style: YAMLNode.ScalarStyle)
        case sequenceStart
        case mappingStart
        /// The end of a sequence or a mapping.
        case end
    }

    var kind: Kind
    /// The name after `&`.
    var anchor: String?
    /// The type after `!`.
    var tag: String?
    /// Counted from 1.
    var line: Int
    /// Counted from 1, in characters.
    var column: Int
}
