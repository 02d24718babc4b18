import CLab
import Coordination
import Foundation
import Glibc
import Posix
import Synchronization

/// A network namespace with devices and routes of its own, gone with its last owner.
///
/// Needs root and iproute2.
package final class Namespace: Sendable {
    private static let count = Atomic(0)

    package let name: String
    private let errand = Locked<Errand?>(nil)
    private let isDeleted = Atomic(false)

    /// Makes one and runs `setup` in it, a command of ip(8) a line.
    package init(_ setup: String = "") throws {
        name = "nhe-\(getpid())-\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        try run(["ip", "netns", "add", name])
        if !setup.isEmpty { try ip(setup) }
    }

    deinit { try? delete() }

    /// Removes it from the system now.
    package func delete() throws {
        guard !isDeleted.exchange(true, ordering: .relaxed) else { return }
        try? FileManager.default.removeItem(atPath: files)
        // Where no other namespace has something there.
        rmdir("/etc/netns")
        try run(["ip", "netns", "del", name])
    }

    /// What enters it, before a command.
    package var prefix: [String] { ["ip", "netns", "exec", name] }

    /// Runs commands of ip(8), from inside too: one with its options, or one a line without.
    package func ip(_ text: String) throws {
        let (arguments, input) =
            text.contains("\n") ? (["-batch", "-"], text + "\n") : (text.split(separator: " ").map(String.init), "")
        let command = ["ip", "-n", name] + arguments
        guard let errand = errand.withLock({ $0 }) else {
            try run(command, input: input)
            return
        }
        try errand.send { try run(command, input: input) }
    }

    /// What ip(8) prints as JSON.
    package func json<Value: Decodable>(_ type: Value.Type, _ arguments: String...) throws -> Value {
        let printed = try run(["ip", "-n", name, "-j", "-d"] + arguments)
        return try JSONDecoder().decode(type, from: Data(printed.utf8))
    }

    /// Runs `body` on a thread of its own inside the namespace, as root or as nobody without capabilities.
    package func inside<Result: Sendable>(
        asNobody: Bool = false,
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let outcome = Locked<Swift.Result<Result, any Error>?>(nil)
        let path = "/run/netns/\(name)"
        let errand = Errand()
        self.errand.withLock { $0 = errand }
        defer { self.errand.withLock { $0 = nil } }
        let thread = try LoopThread(name: "lab") {
            let result = Swift.Result {
                guard nhe_enter_network_namespace(path) == 0 else { throw SystemError(call: path, code: errno) }
                guard !asNobody || nhe_become_nobody() == 0 else { throw SystemError(call: "setresuid", code: errno) }
                return try body()
            }
            outcome.withLock { $0 = result }
            errand.end()
        }
        errand.serve()
        thread.join()
        guard let result = outcome.withLock({ $0 }) else { throw Failure(description: "no result") }
        return try result.get()
    }
}
