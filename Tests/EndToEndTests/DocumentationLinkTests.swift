import Foundation
import Testing

extension EndToEndTests {
    /// Links between the pages of this repository.
    @Suite struct DocumentationLinks {
        @Test(arguments: Documentation.pages)
        func `every link leads to a file and an anchor that exist`(file: String) throws {
            let base = URL(fileURLWithPath: "\(Repository.root)/\(file)")
            for link in MarkdownPage(try Repository.text(file)).links {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let path = parts[0].isEmpty ? base : URL(fileURLWithPath: String(parts[0]), relativeTo: base)
                #expect(FileManager.default.fileExists(atPath: path.path), "\(link)")
                guard parts.count == 2, path.pathExtension == "md" else { continue }
                let text = try? String(contentsOf: path, encoding: .utf8)
                #expect(MarkdownPage(text ?? "").anchors.contains(String(parts[1])), "\(link)")
            }
        }

        @Test(arguments: Documentation.pages.filter { $0.hasPrefix("docs/") })
        func `every page begins with a sentence, which says what one can do with it`(file: String) throws {
            let lines = try Repository.text(file).split(separator: "\n")
            #expect(lines.first?.hasPrefix("# ") == true)
            let second = try #require(lines.dropFirst().first)
            #expect(!["|", "#", "```", "<", "-"].contains { second.hasPrefix($0) }, "\(second)")
        }

        @Test func `anchors are those of GitHub`() {
            let page = MarkdownPage(
                """
                # The `path` of [files](a.md), and more: 90 %
                ## `a`, `b_c`
                ## Twice
                ## Twice
                ```
                # no heading, [no link](b.md)
                ```
                | <a id="old"></a>[x](c.md#d) | `[code](e.md)` | <img src="f.png"> [y](https://example.com/) |
                """
            )
            #expect(page.anchors == ["the-path-of-files-and-more-90-", "a-b_c", "twice", "twice-1", "old"])
            #expect(page.links == ["a.md", "c.md#d", "f.png"])
        }
    }
}
