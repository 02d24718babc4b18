import CMemory
import Foundation
import Testing

@Suite struct MemoryTests {
    /// kB of pages of files.
    private func filePages() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }

    @Test func `pages of files are unmapped, and read again when they are used`() throws {
        let before = try filePages()
        nhe_give_back_memory()
        let after = try filePages()
        #expect(after < before * 3 / 4, "\(before) → \(after) kB")
    }
}
