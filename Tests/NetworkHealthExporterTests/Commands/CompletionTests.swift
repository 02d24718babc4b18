import Testing

@testable import NetworkHealthExporter

/// What the shells offer, by the program's own description of its commands.
struct CompletionTests {
    private func complete(_ line: String) throws -> Completion {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Completion(words, of: try #require(CommandDescription.root()), standard: "serve")
    }

    private func texts(_ line: String) throws -> [String] {
        guard case .words(let words) = try complete(line) else { return [] }
        return words.map(\.text)
    }

    @Test(arguments: [
        ("ch", ["check"]), ("help ch", ["check"]), ("check la", ["largeDownload", "largeUpload"]),
        ("check --sys", ["--systemd-condition"]), ("healthcheck --requirement onl", ["online"]),
        ("serve --log.level w", ["warn"]), ("--log.level w", ["warn"]), ("--log.le", ["--log.level"]),
        ("--log.level=w", ["--log.level=warn"]), ("serve --log.format=", ["--log.format=logfmt", "--log.format=json"]),
        ("snapshot --format p", ["prometheus"]), ("speedtest --protocol nd", ["ndt7"]),
        ("speedtest --server ml", ["mlab"]), ("--speedtest.server c", ["cloudflare"]), ("requests ca", ["cancel"]),
        ("requests cancel ", []), ("check --url http://h:1 onl", ["online"]), ("check --url=http://h onl", ["online"]),
        ("nonsense ", []), ("nonsense --log", []), ("--version ch", []),
    ])
    func `completes commands, flags and their values`(line: String, expected: [String]) throws {
        #expect(try texts(line) == expected)
    }

    @Test func `an empty word offers the commands, and behind a command its operands, then its flags`() throws {
        let commands = [
            "serve", "snapshot", "check", "watch", "speedtest", "diagnose", "report", "history", "requests",
            "healthcheck", "help",
        ]
        #expect(try texts("") == commands)
        #expect(try texts("check ").first == "online")
        #expect(try texts("check online ").contains("--wait"))
        #expect(try texts("watch ").contains("--json"))
    }

    @Test func `a flag is offered once unless it is repeatable, and never in the place of a value`() throws {
        #expect(try texts("check --json --js") == [])
        #expect(try texts("--web.listen-address :1 --web.listen") == ["--web.listen-address"])
        #expect(try texts("check --wait --js") == [])
    }

    @Test(arguments: [
        ("--config.file ", Completion.files), ("serve --config.file=LIC", .files), ("--path.procfs ", .folders),
        ("check x --http.config.file ", .files),
    ])
    func `files and folders are left to the shell`(line: String, expected: Completion) throws {
        #expect(try complete(line) == expected)
    }

    @Test func `each line is a word with its help`() throws {
        let lines = try complete("che").lines
        #expect(lines == "check\tCheck whether the network satisfies a requirement.\n")
        #expect(Completion.files.lines == ":files\n")
    }
}
