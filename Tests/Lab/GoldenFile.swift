import Foundation

/// A file of `Tests/EndToEndTests/Golden`: families that `/metrics` prints.
package struct GoldenFile: Sendable {
    private let url: URL

    package init(_ name: String) {
        url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../EndToEndTests/Golden/\(name)")
    }

    /// What the file has.
    package var text: String { get throws { String(decoding: try Data(contentsOf: url), as: UTF8.self) } }

    /// The families that the file has, by their names in the text format.
    package var families: [String] { get throws { try text.matches(of: /# TYPE (\S+)/).map { String($0.1) } } }

    /// The lines in which the text and the file differ; with `NHE_UPDATE_GOLDEN=1` the file is renewed first.
    package func difference(from text: String) throws -> [String] {
        if ProcessInfo.processInfo.environment["NHE_UPDATE_GOLDEN"] == "1" { try Data(text.utf8).write(to: url) }
        func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        return lines(text).difference(from: lines(try self.text)).map { "\($0)" }
    }
}
