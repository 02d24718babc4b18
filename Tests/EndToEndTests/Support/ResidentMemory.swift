import Testing

/// The resident memory of a process, in kB: its own, and the pages of files.
struct ResidentMemory {
    var anonymous: Int
    var files: Int

    init(of process: Int32) async throws {
        let status = try await output(of: ["cat", "/proc/\(process)/status"]).split(separator: "\n")
        func field(_ name: String) throws -> Int {
            let line = try #require(status.first { $0.hasPrefix("\(name):") })
            return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
        }
        anonymous = try field("RssAnon")
        files = try field("RssFile")
    }
}
