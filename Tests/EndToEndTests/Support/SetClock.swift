import Foundation
import Glibc

/// The wall clock of one exporter, which a test sets; that of the machine is not touched.
struct SetClock {
    private let folder: TemporaryFolder
    private let offset: String

    init() async throws {
        folder = try TemporaryFolder()
        offset = try folder.write("offset", String(repeating: "\0", count: MemoryLayout<Int>.size))
        let source = "\(Repository.tests)/Fixtures/clock.c"
        try await output(of: ["clang", "-shared", "-fPIC", "-O", "-o", "\(folder.path)/clock.so", source])
    }

    /// Starts a program with this clock.
    var wrapper: [String] { ["env", "LAB_CLOCK=\(offset)", "LD_PRELOAD=\(folder.path)/clock.so"] }

    /// Sets it so many days ahead of that of the machine.
    func set(days: Int) throws {
        let file = open(offset, O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        var seconds = days * 86_400
        guard pwrite(file, &seconds, MemoryLayout<Int>.size, 0) == MemoryLayout<Int>.size else {
            throw Failure(description: "\(offset): errno \(errno)")
        }
    }
}
