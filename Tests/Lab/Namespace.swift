import CLab
import Foundation
import Glibc
import Locking
import Posix
import Synchronization

/// A network namespace with devices and routes of its own, gone with its last owner.
///
/// Needs root and iproute2.
package final class Namespace: Sendable {
    private static let count = Atomic(0)

    package let name: String
    private let errand = Locked<Errand?>(nil)

    /// Makes one and runs `setup` in it, one command of ip(8) a line.
    package init(_ setup: String = "") throws {
        name = "nhe-\(getpid())-\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        try run(["ip", "netns", "add", name])
        try ip(setup)
    }

    deinit { _ = try? run(["ip", "netns", "del", name]) }

    /// Runs commands of ip(8), one a line, from inside too.
    package func ip(_ batch: String) throws {
        let arguments = ["ip", "-n", name, "-batch", "-"]
        guard let errand = errand.withLock({ $0 }) else {
            try run(arguments, input: batch)
            return
        }
        try errand.send { try run(arguments, input: batch) }
    }

    /// What ip(8) prints as JSON.
    package func json<Value: Decodable>(_ type: Value.Type, _ arguments: String...) throws -> Value {
        let printed = try run(["ip", "-n", name, "-j", "-d"] + arguments)
        return try JSONDecoder().decode(type, from: printed)
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
        guard let result = outcome.withLock({ $0 }) else { throw CommandFailure(description: "no result") }
        return try result.get()
    }
}
