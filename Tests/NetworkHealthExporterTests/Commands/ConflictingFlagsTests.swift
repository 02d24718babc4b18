import ArgumentParser
import Testing

@testable import NetworkHealthExporter

/// Flags of which one would have no effect beside the other.
struct ConflictingFlagsTests {
    @Test(arguments: ["--uplink", "--url", "--tls.ca-file", "--http.config.file"])
    func `a check without an exporter takes nothing that is asked of one`(flag: String) throws {
        let error = try #require(throws: (any Error).self) { try Check.parse(["online", "--local", flag, "a"]) }
        #expect(Check.message(for: error) == "expected at most one of --local and \(flag)")
        _ = try Check.parse(["online", flag, "a"])
    }

    @Test(arguments: ["text", "prometheus"]) func `a snapshot is printed in one form`(format: String) throws {
        let error = try #require(throws: (any Error).self) { try Snapshot.parse(["--format", format, "--json"]) }
        #expect(Snapshot.message(for: error) == "expected at most one of --json and --format")
        _ = try Snapshot.parse(["--format", format])
        _ = try Snapshot.parse(["--format", "json", "--json"])
    }
}
