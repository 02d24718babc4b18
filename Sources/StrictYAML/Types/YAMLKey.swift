/// A key of a mapping: its name, where its value is kept, and how that is read and written.
///
/// The default of a key is the value that its struct has before it is read. A section of a configuration is a list of keys,
/// and reading, printing and the list of keys for the manual follow from it:
///
///     static var keys: [YAMLKey<HistorySection>] {
///         [.key("retention", \.retention, .duration(in: .seconds(3600)...DurationText.longest))]
///     }
package struct YAMLKey<Root> {
    /// A key that exists only where another one has a value.
    fileprivate struct Condition {
        var key: String
        var value: String
        var current: (Root) -> String
    }

    package let name: String
    fileprivate var condition: Condition?
    fileprivate let read: (inout MappingReader, inout Root) throws(YAMLError) -> Void
    fileprivate let write: (Root) -> YAMLText?
    fileprivate let descriptions: (Root) -> [YAMLKeyDescription]

    /// A key whose type depends on the values of the keys before it.
    private init<Value>(
        _ name: String,
        isRequired: Bool,
        _ path: WritableKeyPath<Root, Value>,
        _ type: @escaping (Root) -> YAMLType<Value>
    ) {
        self.name = name
        read = { (map, root) throws(YAMLError) in
            let type = type(root)
            let value = isRequired ? try map.required(name, as: type) : try map.optional(name, as: type)
            if let value { root[keyPath: path] = value }
        }
        write = { root in type(root).write(root[keyPath: path]) }
        descriptions = { root in
            let type = type(root)
            let text = isRequired ? nil : type.write(root[keyPath: path])
            let own = YAMLKeyDescription(path: name, isRequired: isRequired, default: text)
            return [own] + type.keys.map { $0.below(name) }
        }
    }

    private init(
        _ name: String,
        condition: Condition?,
        read: @escaping (inout MappingReader, inout Root) throws(YAMLError) -> Void,
        write: @escaping (Root) -> YAMLText?,
        descriptions: @escaping (Root) -> [YAMLKeyDescription]
    ) {
        self.name = name
        self.condition = condition
        self.read = read
        self.write = write
        self.descriptions = descriptions
    }

    /// A key that may be absent.
    package static func key<Value>(
        _ name: String,
        _ path: WritableKeyPath<Root, Value>,
        _ type: YAMLType<Value>
    ) -> YAMLKey {
        YAMLKey(name, isRequired: false, path) { _ in type }
    }

    /// The same with a type that depends on the values of the keys before it.
    package static func key<Value>(
        _ name: String,
        _ path: WritableKeyPath<Root, Value>,
        _ type: @escaping (Root) -> YAMLType<Value>
    ) -> YAMLKey {
        YAMLKey(name, isRequired: false, path, type)
    }

    /// A key that must be there: where it is missing or bad, the mapping is read no further.
    package static func required<Value>(
        _ name: String,
        _ path: WritableKeyPath<Root, Value>,
        _ type: YAMLType<Value>
    ) -> YAMLKey {
        YAMLKey(name, isRequired: true, path) { _ in type }
    }

    /// The same with a type that depends on the values of the keys before it.
    package static func required<Value>(
        _ name: String,
        _ path: WritableKeyPath<Root, Value>,
        _ type: @escaping (Root) -> YAMLType<Value>
    ) -> YAMLKey {
        YAMLKey(name, isRequired: true, path, type)
    }

    /// A nested mapping, read into the value that is there; `\.self` for keys of the same struct.
    ///
    /// `complete` is that of ``YAMLType/section(_:_:complete:)``.
    package static func section<Part>(
        _ name: String,
        _ path: WritableKeyPath<Root, Part>,
        _ keys: [YAMLKey<Part>],
        complete: @escaping YAMLType<Part>.Completion = { _, _ in }
    ) -> YAMLKey {
        YAMLKey(name, isRequired: false, path) { .section($0[keyPath: path], keys, complete: complete) }
    }

    /// The key of a struct of which this key's struct is a part.
    package func of<Whole>(_ path: WritableKeyPath<Whole, Root>) -> YAMLKey<Whole> {
        of(get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
    }

    /// The same where the part has no key path, such as one kind of several.
    package func of<Whole>(
        get: @escaping (Whole) -> Root,
        set: @escaping (inout Whole, Root) -> Void
    ) -> YAMLKey<Whole> {
        YAMLKey<Whole>(
            name,
            condition: condition.map { condition in
                .init(key: condition.key, value: condition.value) { condition.current(get($0)) }
            },
            read: { (map, whole) throws(YAMLError) in
                var part = get(whole)
                try read(&map, &part)
                set(&whole, part)
            },
            write: { write(get($0)) },
            descriptions: { descriptions(get($0)) }
        )
    }

    /// The key, which exists only where another one, read before it, has a value.
    package func only(where key: String, _ path: KeyPath<Root, String>, is value: String) -> YAMLKey {
        YAMLKey(
            name,
            condition: Condition(key: key, value: value) { $0[keyPath: path] },
            read: read,
            write: write,
            descriptions: { root in
                descriptions(root).map { description in
                    var description = description
                    description.condition = value
                    return description
                }
            }
        )
    }

    fileprivate func exists(in root: Root) -> Bool { condition.map { $0.current(root) == $0.value } ?? true }
}

extension Array {
    /// The keys of a struct of which their struct is a part.
    package func of<Whole, Part>(_ path: WritableKeyPath<Whole, Part>) -> [YAMLKey<Whole>]
    where Element == YAMLKey<Part> {
        map { $0.of(path) }
    }
}

extension YAMLType {
    /// Sets what depends on several keys and checks rules between them; called where each key could be read.
    package typealias Completion = (_ value: inout Value, _ map: MappingReader) throws(YAMLError) -> Void

    /// A mapping with known keys; any other key is an error.
    ///
    /// - Parameters:
    ///   - defaults: the value of an empty mapping; required keys replace what it has.
    ///   - keys: in the order of reading and writing.
    ///   - complete: see ``Completion``.
    /// - Returns: a type that reads and writes the mapping.
    package static func section(
        _ defaults: Value,
        _ keys: [YAMLKey<Value>],
        complete: @escaping Completion = { _, _ in }
    ) -> YAMLType {
        YAMLType(
            expectations: ["a mapping"],
            keys: keys.flatMap { $0.descriptions(defaults) },
            read: { cursor throws(YAMLError) in
                var map = try MappingReader(cursor)
                return try map.read(into: defaults, keys, complete)
            },
            write: { value in
                .mapping(
                    keys.filter { $0.exists(in: value) }.compactMap { key in
                        key.write(value).map { .init(key.name, $0) }
                    }
                )
            }
        )
    }
}

extension MappingReader {
    fileprivate mutating func read<Root>(
        into defaults: Root,
        _ keys: [YAMLKey<Root>],
        _ complete: YAMLType<Root>.Completion
    ) throws(YAMLError) -> Root {
        var root = defaults
        for key in keys where key.exists(in: root) { try key.read(&self, &root) }
        // Where a value could not be read, a rule would judge its default.
        if failure == nil {
            do throws(YAMLError) {
                try complete(&root, self)
            } catch {
                try keep(error)
            }
        }
        try finish { name in
            let conditions = keys.filter { $0.name == name }.compactMap(\.condition)
            guard let first = conditions.first else { return nil }
            let values = conditions.map(\.value).joined(separator: " and ")
            return "a key of \(first.key) \(values), not of \(first.current(root))"
        }
        if let failure { throw failure }
        return root
    }
}

/// What the manual says about a key.
package struct YAMLKeyDescription: Sendable, Equatable {
    /// The keys that lead to it, `path.settle.quiet` or `internet.probes[].name`.
    package var path: String
    package var isRequired: Bool
    /// What is printed without it; nil where it is required or then left out.
    package var `default`: YAMLText?
    /// The value of another key (``YAMLKey/only(where:_:is:)``) without which the key does not exist; nil: it always does.
    package var condition: String?

    /// The same key in a mapping, or a list, below a key.
    func below(_ key: String) -> YAMLKeyDescription {
        var new = self
        new.path = path.hasPrefix("[") ? key + path : "\(key).\(path)"
        return new
    }
}
