import CYAML

/// libyaml's event parser with a copy of the text it reads.
struct YAMLParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// libyaml keeps a pointer into this.
    private let text: UnsafeMutableBufferPointer<UInt8>
    private let file: String
    /// False when libyaml was out of memory; it has then freed what it had.
    private let isReady: Bool

    init(_ bytes: Span<UInt8>, file: String) {
        self.file = file
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        isReady = yaml_parser_initialize(parser) == 1
        text = .allocate(capacity: bytes.count)
        _ = bytes.withUnsafeBufferPointer { text.initialize(fromContentsOf: $0) }
        guard isReady else { return }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        if isReady {
            yaml_parser_delete(parser)
        }
        parser.deallocate()
        text.deallocate()
    }

    mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard isReady, yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
        defer { yaml_event_delete(&event) }
        var anchor: UnsafeMutablePointer<yaml_char_t>?
        var tag: UnsafeMutablePointer<yaml_char_t>?
        let kind: YAMLEvent.Kind
        switch event.type {
        case YAML_STREAM_START_EVENT: kind = .streamStart
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: kind = .end
        case YAML_ALIAS_EVENT:
            kind = .alias(Self.string(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            (anchor, tag) = (scalar.anchor, scalar.tag)
            let value = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            kind = .scalar(
                String(decoding: value, as: UTF8.self),
                style: scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted
            )
        case YAML_SEQUENCE_START_EVENT:
            (anchor, tag) = (event.data.sequence_start.anchor, event.data.sequence_start.tag)
            kind = .sequenceStart
        case YAML_MAPPING_START_EVENT:
            (anchor, tag) = (event.data.mapping_start.anchor, event.data.mapping_start.tag)
            kind = .mappingStart
        default:
            // The stream's end; libyaml repeats it as "no event".
            kind = .streamEnd
        }
        return YAMLEvent(
            kind: kind,
            anchor: Self.string(anchor),
            tag: Self.string(tag),
            line: Int(clamping: event.start_mark.line) + 1,
            column: Int(clamping: event.start_mark.column) + 1
        )
    }

    private static func string(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        text.map { String(decodingCString: $0, as: UTF8.self) }
    }

    private func syntaxError() -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
        guard parser.pointee.error != YAML_READER_ERROR else {
            // Reader errors have a byte offset instead of a mark.
            let lineFeeds = text.prefix(Int(clamping: parser.pointee.problem_offset)).count { $0 == UInt8(ascii: "\n") }
            return YAMLError(file: file, line: lineFeeds + 1, message: problem)
        }
        let line = Int(clamping: parser.pointee.problem_mark.line) + 1
        var message = problem
        if let context = parser.pointee.context {
            message += " \(String(cString: context))"
            let contextLine = Int(clamping: parser.pointee.context_mark.line) + 1
            if contextLine != line, parser.pointee.context_mark.index > 0 {
                message += " that starts on line \(contextLine)"
            }
        }
        if isIndentedWithTab(line) {
            message += " (a tab cannot indent: use spaces)"
        }
        return YAMLError(file: file, line: line, message: message)
    }

    private func isIndentedWithTab(_ line: Int) -> Bool {
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: line, omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return false }
        let indentation = lines[line - 1].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return indentation.contains(UInt8(ascii: "\t"))
    }
}

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
