import Lab
import Testing

@testable import Posix

struct GlobTests {
    private let temporary: TemporaryFolder
    private var folder: String { temporary.path }

    init() throws { temporary = try TemporaryFolder() }

    private func make(_ names: String...) throws {
        for name in names { try temporary.write(name, "") }
    }

    @Test func `finds what matches, sorted, without hidden files`() throws {
        try make("d/b.yml", "d/a.yml", "d/.c.yml", "d/a.json", "e/x.yml")
        #expect(try Glob.paths("\(folder)/d/*.yml") == ["\(folder)/d/a.yml", "\(folder)/d/b.yml"])
        #expect(try Glob.paths("\(folder)/*/[bx].yml") == ["\(folder)/d/b.yml", "\(folder)/e/x.yml"])
        #expect(try Glob.paths("\(folder)/d/a.yml") == ["\(folder)/d/a.yml"])
    }

    @Test(arguments: ["nothing/*.yml", "nothing", "d/a.yml/*", "d/*.txt"])
    func `where there is nothing it finds nothing`(pattern: String) throws {
        try make("d/a.yml")
        #expect(try Glob.paths("\(folder)/\(pattern)").isEmpty)
    }

    @Test(arguments: ["a*b", "a?b", "[ab]", "a\\b", "plain", "[", "ü*"])
    func `an escaped path matches itself only`(name: String) throws {
        try make(name, "axb", "a", "b")
        let path = "\(folder)/\(name)"
        #expect(try Glob.paths(Glob.escaped(path)) == [path])
        #expect(!Glob.hasWildcard(Glob.escaped(path)))
        #expect(Glob.matches(name, Glob.escaped(name)))
        #expect(!Glob.matches("axb", Glob.escaped(name)))
    }

    @Test(arguments: [("a*", true), ("a\\*", false), ("\\\\*", true), ("a", false), ("a[b]", true), ("?", true)])
    func `knows a wildcard`(pattern: String, hasWildcard: Bool) {
        #expect(Glob.hasWildcard(pattern) == hasWildcard)
    }

    @Test func `a hidden name needs its dot`() {
        #expect(!Glob.matches(".a.yml.swp", "*"))
        #expect(Glob.matches(".a", ".*"))
    }
}
