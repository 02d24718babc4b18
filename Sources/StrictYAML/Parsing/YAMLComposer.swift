/// Builds a tree from libyaml's events, strictly and within limits.
struct YAMLComposer: ~Copyable {
    /// A finished node and what it costs to visit or to nest.
    private struct Subtree {
        var node: YAMLNode
        /// The number of nodes, aliases expanded.
        var weight: Int
        /// The number of levels.
        var height: Int
    }

    private let file: String
    private let limits: YAMLLimits
    private var parser: YAMLParser
    private var anchors: [String: Subtree] = [:]
    private var aliasedNodes = 0

    /// Takes valid UTF-8.
    init(_ bytes: Span<UInt8>, file: String, limits: YAMLLimits) {
        self.file = file
        self.limits = limits
        parser = YAMLParser(bytes, file: file)
    }

    mutating func document() throws(YAMLError) -> YAMLNode {
        _ = try parser.next()
        guard case .documentStart = try parser.next().kind else {
            return YAMLNode(kind: .scalar("", style: .plain), line: 1, column: 1)
        }
        let root = try subtree(from: try parser.next(), depth: 1).node
        _ = try parser.next()
        let next = try parser.next()
        guard case .streamEnd = next.kind else {
            throw error(next, "expected one document, found a second one")
        }
        return root
    }

    private mutating func subtree(from event: YAMLEvent, depth: Int) throws(YAMLError) -> Subtree {
        if let tag = event.tag { throw error(event, "the tag \(quoted(tag)) is not supported") }
        let tree: Subtree
        switch event.kind {
        case .alias(let name):
            return try expand(name, at: event, depth: depth)
        case .scalar(let text, let style):
            guard !text.utf8.contains(0) else { throw error(event, "a NUL character is not allowed") }
            tree = Subtree(node: node(.scalar(text, style: style), event), weight: 1, height: 0)
        case .sequenceStart:
            tree = try sequence(event, depth: depth)
        case .mappingStart:
            tree = try mapping(event, depth: depth)
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .end:
            throw error(event, "expected a value")
        }
        if let anchor = event.anchor {
            anchors[anchor] = tree
        }
        return tree
    }

    private mutating func expand(_ name: String, at event: YAMLEvent, depth: Int) throws(YAMLError) -> Subtree {
        guard let target = anchors[name] else {
            throw error(event, "no anchor &\(shortened(name)) is complete before its alias")
        }
        guard depth + target.height <= limits.depth + 1 else { throw tooDeep(event) }
        aliasedNodes += target.weight
        guard aliasedNodes <= limits.aliasedNodes else {
            throw error(event, "all aliases together expand to more than \(limits.aliasedNodes) values")
        }
        return target
    }

    private mutating func sequence(_ start: YAMLEvent, depth: Int) throws(YAMLError) -> Subtree {
        guard depth <= limits.depth else { throw tooDeep(start) }
        var items: [YAMLNode] = []
        var (weight, height) = (1, 0)
        while true {
            let event = try parser.next()
            if case .end = event.kind { break }
            let item = try subtree(from: event, depth: depth + 1)
            items.append(item.node)
            weight += item.weight
            height = max(height, item.height)
        }
        return Subtree(node: node(.sequence(items), start), weight: weight, height: height + 1)
    }

    private mutating func mapping(_ start: YAMLEvent, depth: Int) throws(YAMLError) -> Subtree {
        guard depth <= limits.depth else { throw tooDeep(start) }
        var entries: [YAMLNode.Entry] = []
        var lines: [String: Int] = [:]
        var (weight, height) = (1, 0)
        while true {
            let event = try parser.next()
            if case .end = event.kind { break }
            let key = try key(from: event)
            if let line = lines.updateValue(event.line, forKey: key) {
                throw error(event, "the key \(quoted(key)) is already on line \(line)")
            }
            let value = try subtree(from: try parser.next(), depth: depth + 1)
            entries.append(YAMLNode.Entry(key: key, keyLine: event.line, value: value.node))
            weight += 1 + value.weight
            height = max(height, value.height)
        }
        return Subtree(node: node(.mapping(entries), start), weight: weight, height: height + 1)
    }

    private mutating func key(from event: YAMLEvent) throws(YAMLError) -> String {
        guard case .scalar(let key, let style) = event.kind else {
            throw error(event, "expected a key, found a list, a mapping or an alias")
        }
        guard key != "<<" || style == .quoted else {
            throw error(event, "merge keys (<<) are not supported: write the keys out, or alias a whole value")
        }
        // The same rules and anchors as for a value.
        _ = try subtree(from: event, depth: 0)
        return key
    }

    private func node(_ kind: YAMLNode.Kind, _ event: YAMLEvent) -> YAMLNode {
        YAMLNode(kind: kind, line: event.line, column: event.column)
    }

    private func tooDeep(_ event: YAMLEvent) -> YAMLError {
        error(event, "nested deeper than \(limits.depth) levels")
    }

    private func error(_ event: YAMLEvent, _ message: String) -> YAMLError {
        YAMLError(file: file, line: event.line, message: message)
    }
}
