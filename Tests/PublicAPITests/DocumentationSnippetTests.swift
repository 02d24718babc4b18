import Foundation
import Testing

struct DocumentationSnippetTests {
    private static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let health = "Sources/NetworkHealth/NetworkHealth.docc"
    private static let snippets = "Tests/PublicAPITests/Snippets"

    /// The code of a page, and the compiled files that have it.
    private static let pages: [(page: String, sources: [String])] = [
        ("\(health)/NetworkHealth.md", ["\(snippets)/NetworkHealthSnippets.swift"]),
        ("\(health)/FollowingConnectivity.md", ["\(snippets)/NetworkHealthSnippets.swift"]),
        (
            "\(health)/MeetingRequirements.md",
            ["\(snippets)/NetworkHealthSnippets.swift", "\(snippets)/RealSpeedTester.swift"]
        ),
        ("\(health)/MigratingFromReachabilityAndNWPathMonitor.md", ["Examples/Sources/Migration.swift"]),
        ("docs/migrating.md", ["Examples/Sources/FromCombine.swift"]),
        ("Sources/SpeedTestCore/SpeedTestCore.docc/SpeedTestCore.md", ["\(snippets)/SpeedTestCoreSnippets.swift"]),
    ]

    @Test(arguments: pages.indices)
    func `each block of code in the documentation is compiled as it is`(index: Int) throws {
        let (page, sources) = Self.pages[index]
        let compiled = try sources.map { Self.lines(try Self.text($0)) }
        // Every second piece between the fences is code.
        let blocks = try Self.text(page).components(separatedBy: "```").enumerated().filter {
            !$0.offset.isMultiple(of: 2)
        }
        #expect(!blocks.isEmpty)
        for (_, block) in blocks {
            #expect(block.hasPrefix("swift\n"), "\(page)")
            // The import is the file's first line.
            let code = Self.lines(String(block.dropFirst(6))).filter { !$0.hasPrefix("import ") }
            #expect(!code.isEmpty && compiled.contains { $0.contains(code) }, "not compiled in \(page): \(block)")
        }
    }

    private static let allowed: Set = ["import Foundation", "import NetworkHealth", "import SpeedTestCore"]

    @Test func `the files of the snippets import the products alone`() throws {
        for path in Self.pages.flatMap(\.sources) {
            let imports = Self.lines(try Self.text(path)).filter { $0.hasPrefix("import ") }
            #expect(!imports.isEmpty && Set(imports).isSubset(of: Self.allowed))
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    /// Without indentation, empty lines and `private`, which a page does not show.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces).replacing("private ", with: "") }
            .filter { !$0.isEmpty }
    }
}
