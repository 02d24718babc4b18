import Foundation
import StrictYAML
import Testing

@testable import NetworkHealthExporter

/// The page of the manual, against the keys as they are declared.
struct ConfigurationReferenceTests {
    /// A row of one of the tables.
    private struct Row {
        /// The keys that it may be about: its names alone, and below the sections of its heading.
        var paths: Set<String>
        /// Cells by the words of the table's head: type, default, modules.
        var cells: [String: String]
        var text: String
    }

    private static let page =
        (try? String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../docs/configuration.md").standardized,
            encoding: .utf8
        )) ?? ""

    private static let keys = Configuration.type.keys

    private static func codes(_ text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    private static let rows: [Row] = {
        var sections: [String] = []
        var head: [String] = []
        var rows: [Row] = []
        for line in page.split(separator: "\n") {
            if line.hasPrefix("## ") { sections = codes(line) }
            guard line.hasPrefix("| ") else { continue }
            let cells = line.dropFirst().dropLast().components(separatedBy: " |").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            if line.hasPrefix("| key") {
                head = cells
            } else {
                let parents = sections + (sections.contains("targets") ? ["targets[]"] : [])
                let names = codes(cells[0])
                let paths = names + names.flatMap { name in parents.map { "\($0).\(name)" } }
                rows.append(
                    Row(paths: Set(paths), cells: .init(uniqueKeysWithValues: zip(head, cells)), text: "\(line)")
                )
            }
        }
        return rows
    }()

    private static func row(of key: YAMLKeyDescription) -> Row? {
        rows.first { row in
            guard row.paths.contains(key.path) else { return false }
            guard let condition = key.condition, let modules = row.cells["modules"], !modules.isEmpty else {
                return true
            }
            return modules.components(separatedBy: ", ").contains(condition)
        }
    }

    /// Whether a row about the mapping in which the key is covers it: `{ ipv4, ipv6 }`, or "as an http target's".
    private static func isCovered(_ key: YAMLKeyDescription) -> Bool {
        rows.contains { row in
            row.paths.contains { path in
                guard key.path.hasPrefix("\(path)."), let type = row.cells["type"] else { return false }
                let rest = key.path.dropFirst(path.count + 1)
                return type.contains("as an http target's") || type.contains("{ \(rest),")
                    || type.contains(", \(rest) }")
            }
        }
    }

    /// The sections of the page with the names of their heading, and the files in each.
    private static let sections: [(keys: [String], examples: [String])] =
        page.components(separatedBy: "\n## ").dropFirst().filter { $0.hasPrefix("`") }.map { section in
            let files = section.components(separatedBy: "```yaml\n").dropFirst()
            return (codes(section.prefix { $0 != "\n" }), files.map { String($0.prefix { $0 != "`" }) })
        }

    @Test func `every section has one example, which is a valid file`() throws {
        #expect(Self.sections.count > 10)
        for section in Self.sections {
            let text = section.examples.joined()
            #expect(section.examples.count == 1 && section.keys.allSatisfy { text.contains("\($0):") }, "\(section)")
            _ = try Configuration.read(Array(text.utf8), file: "/test.yml", environment: [:])
        }
        #expect(Self.page.components(separatedBy: "```yaml\n").count == Self.sections.count + 1)
    }

    @Test func `the examples together are one valid file`() throws {
        let yaml = Self.sections.flatMap(\.examples).joined()
        let configuration = try Configuration.read(Array(yaml.utf8), file: "/nonexistent/test.yml", environment: [:])
        #expect(configuration.targets.all.count == 4)
        #expect(configuration.targets.patterns == ["/nonexistent/targets.d/*.yml"])
        #expect(configuration.offlineQueue.isEnabled && !configuration.speedTest.servers.isEmpty)
    }

    @Test func `every key has its row`() {
        let headings = Set(Self.page.split(separator: "\n").filter { $0.hasPrefix("## ") }.flatMap { Self.codes($0) })
        #expect(Self.keys.count > 100 && Self.rows.count > 80)
        for key in Self.keys where !headings.contains(key.path) && Self.row(of: key) == nil {
            #expect(Self.isCovered(key), "\(key.path)")
        }
    }

    @Test func `every row is about keys that are read`() {
        let known = Set(Self.keys.map(\.path))
        for row in Self.rows {
            for name in Self.codes(row.text.dropFirst().prefix { $0 != "|" }) {
                let isKnown = row.paths.contains { $0 == name || $0.hasSuffix(".\(name)") ? known.contains($0) : false }
                #expect(isKnown, "\(name)")
            }
        }
    }

    @Test func `the defaults of the manual are those of the code`() throws {
        var compared = 0
        for key in Self.keys {
            guard let row = Self.row(of: key), let cell = row.cells["default"] else { continue }
            #expect(cell.hasPrefix("required") == key.isRequired, "\(key.path): \(row.text)")
            for text in Self.texts(of: key.default) where !key.isRequired {
                // A list may be described in words.
                if case .list? = key.default, Self.codes(cell).isEmpty { continue }
                #expect(
                    Self.codes(cell).contains { $0 == text || $0.hasPrefix("[") && $0.contains(text) },
                    "\(row.text)"
                )
                compared += 1
            }
        }
        #expect(compared > 50)
    }

    /// The texts that a default is printed with; none for a mapping, whose keys have rows.
    private static func texts(of value: YAMLText?) -> [String] {
        switch value {
        case nil, .mapping: []
        case .plain(let text): [text]
        case .quoted(let text): [text.isEmpty ? "\"\"" : text]
        case .list(let items): items.isEmpty ? ["[]"] : items.flatMap { texts(of: $0) }
        }
    }
}
