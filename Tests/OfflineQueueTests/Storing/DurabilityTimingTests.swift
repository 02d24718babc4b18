import Foundation
import Lab
import Testing

/// What strace(1) sees of a process that hands requests to a queue.
@Suite(.timeLimit(.minutes(1))) struct DurabilityTimingTests {
    /// The lines of a trace, and of the output, of a process that stores `count` requests, `writers` at a time.
    private func trace(_ calls: String, _ count: Int, writers: Int) async throws -> (trace: [Substring], accepted: Int)
    {
        let folder = try TemporaryFolder()
        let trace = "\(folder.path)/trace"
        let strace = ["strace", "-f", "--seccomp-bpf", "-y", "-e", "trace=\(calls)", "-o", trace]
        let writer = [QueueWriter.path, folder.file, "http://192.0.2.1/", "0", "\(count)", "\(writers)"]
        let (status, accepted) = try await onThread {
            let child = try Program(strace + writer)
            var accepted = 0
            while let line = child.readLine() { accepted += Int(line) == nil ? 0 : 1 }
            return (child.wait(), accepted)
        }
        try #require(status == 0)
        return (try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n"), accepted)
    }

    /// Whether the log of the database is on the disk after this line.
    private func synchronizes(_ line: Substring) -> Bool {
        // `12 fdatasync(9<…/queue.db-wal>) = 0`, or its two parts around the lines of other threads.
        line.contains("fdatasync") && line.hasSuffix("= 0")
            && (line.contains("resumed") || line.contains("queue.db-wal>"))
    }

    @Test func `each accepted request was on the disk before`() async throws {
        let (lines, count) = try await trace("fdatasync,write", 100, writers: 1)
        #expect(count == 100)
        var (synchronized, accepted) = (0, 0)
        for line in lines {
            if synchronizes(line) { synchronized += 1 }
            // The number, on its way to the output.
            if line.firstMatch(of: /write\(1<.*>(\(deleted\))?, "[0-9]+\\n"/) != nil { accepted += 1 }
            try #require(synchronized >= accepted)
        }
        #expect(accepted == 100)
    }

    @Test func `requests of 64 writers share commits: at least eight in each`() async throws {
        // No other call: a tracer that has to wait for a processor would hold up the writers.
        let (lines, count) = try await trace("fdatasync", 1600, writers: 64)
        #expect(count == 1600)
        let commits = lines.count(where: synchronizes)
        print("\(count) requests of 64 writers: \(commits) times fdatasync(2)")
        #expect(commits > 0 && commits <= count / 8)
    }
}
