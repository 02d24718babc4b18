import Foundation

/// The anchors and the relative links of a Markdown file, as GitHub makes them.
struct MarkdownPage {
    /// Those of its headings, and those written as `<a id="…">`.
    let anchors: Set<String>
    /// The destinations of links and images that are not URLs, as written.
    let links: [String]

    init(_ text: String) {
        var anchors: Set<String> = []
        var headings: [String: Int] = [:]
        var links: [String] = []
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
            guard !isCode else { continue }
            if let heading = line.wholeMatch(of: /#{1,6} (.+)/) {
                let slug = Self.slug(heading.1)
                let earlier = headings[slug, default: 0]
                headings[slug] = earlier + 1
                anchors.insert(earlier == 0 ? slug : "\(slug)-\(earlier)")
            }
            for id in line.matches(of: /<a id="([^"]+)">/) { anchors.insert(String(id.1)) }
            // A link in code is an example.
            let prose = line.replacing(/`[^`]*`/, with: "x")
            links += prose.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
            links += prose.matches(of: /(?:src|srcset|href)="([^"]+)"/).map { String($0.1) }
        }
        self.anchors = anchors
        self.links = links.filter { !$0.contains(/^[a-z]+:/) }
    }

    /// What GitHub makes of a heading: lower case, punctuation left out, `-` for each space.
    private static func slug(_ heading: Substring) -> String {
        let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
        return String(text.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.map { $0 == " " ? "-" : $0 })
    }
}
