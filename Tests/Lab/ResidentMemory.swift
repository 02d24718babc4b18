import Glibc
import Posix

/// The resident memory of a process, in kB: its own, and the pages of files.
package struct ResidentMemory: Sendable {
    package let anonymous: Int
    package let files: Int
    /// The most that was resident at a time.
    package let highest: Int

    /// Reads it for this process, or for another one.
    package init(of process: Int32 = getpid()) throws {
        let path = "/proc/\(process)/status"
        let lines = (SmallFile.text(path) ?? "").split(separator: "\n")
        func field(_ name: String) throws -> Int {
            let line = lines.first { $0.hasPrefix("\(name):") } ?? ""
            guard let value = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
                throw Failure(description: "\(path) has no \(name)")
            }
            return value
        }
        anonymous = try field("RssAnon")
        files = try field("RssFile")
        highest = try field("VmHWM")
    }
}
