import Foundation
import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

/// Name lookups that fail or never end; no question leaves the machine.
@Suite(.timeLimit(.minutes(3)))
struct ResolverTests {
    @Test(.enabled(if: getuid() == 0)) func `a dead resolver holds up nobody, nor the stop`() async {
        // In a process of its own; glibc gives up after 10 s.
        await #expect(processExitsWith: .success) {
            let server = try SilentNameServer("127.0.98.53")
            let loop = try TransferLoop(name: "test", userAgent: "tests", resolver: server.resolver())
            let port = try Loopback.closedPort()

            let start = ContinuousClock.now
            let dead = TransferRequest(url: "http://host.invalid/").with { $0.timeout = .seconds(2) }
            async let first = failure(of: dead, on: loop)
            async let second = failure(of: dead.with { $0.connectTimeout = .milliseconds(500) }, on: loop)
            let other = try await failure(of: TransferRequest(url: "http://127.0.0.1:\(port)/"), on: loop)
            #expect(other.reason == .refused && other.statistics.duration < .seconds(2), "\(other)")
            for error in try await [first, second] {
                #expect(error.reason == .timeout && error.phase == .resolve, "\(error)")
                #expect(error.statistics.phases.resolve == error.statistics.duration)
            }
            let task = Task { try await failure(of: dead.with { $0.timeout = .seconds(30) }, on: loop) }
            // Done in order: when this one has ended, the other one is under way.
            _ = try await failure(of: TransferRequest(url: "http://127.0.0.1:\(port)/"), on: loop)
            loop.stop()
            let stopped = try await task.value
            #expect(stopped.reason == .stopped)
            // Not the 10 s for which a lookup would hold a loop that waits for it.
            #expect(start.duration(to: .now) < .seconds(9))
            withExtendedLifetime(server) {}
        }
    }

    @Test(.enabled(if: getuid() == 0)) func `A transfer that waits behind lookups of a silent server ends as they do`()
        async
    {
        await #expect(processExitsWith: .success) {
            let server = try SilentNameServer("127.0.98.55")
            let resolver = server.resolver(maxThreads: 1)
            let loop = try TransferLoop(name: "test", userAgent: "tests", resolver: resolver)
            // In /etc/hosts: an answer without a name server says nothing about the others.
            _ = try await resolver.addresses(of: "localhost", family: nil, until: .now + .seconds(5))
            try await withThrowingTaskGroup { group in
                for host in ["one.invalid", "two.invalid"] {
                    group.addTask {
                        let request = TransferRequest(url: "http://\(host)/").with { $0.timeout = .milliseconds(300) }
                        let error = try await failure(of: request, on: loop)
                        #expect(error.reason == .timeout && error.phase == .resolve, "\(error)")
                    }
                }
                try await group.waitForAll()
            }
            loop.stop()
            withExtendedLifetime(server) {}
        }
    }

    @Test(.enabled(if: getuid() == 0)) func `While the name server is silent, threads and descriptors stay flat`() async
    {
        await #expect(processExitsWith: .success) {
            let server = try SilentNameServer("127.0.98.57")
            let loop = try TransferLoop(name: "test", userAgent: "tests", resolver: server.resolver())
            func count(_ folder: String) -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? -1
            }
            /// Names that are asked for again and again, as targets are.
            func round(_ names: Int) async throws {
                try await withThrowingTaskGroup { group in
                    for number in 0..<names {
                        group.addTask {
                            let request = TransferRequest(url: "http://host\(number).invalid/").with {
                                $0.usesFreshConnection = true
                                $0.timeout = .milliseconds(100)
                            }
                            let error = try await failure(of: request, on: loop)
                            #expect(error.reason == .timeout && error.phase == .resolve, "\(error)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let idle = (count("task"), count("fd"))
            // A thread and a socket for each lookup. A thread that starts late finds no question any more, and ends.
            var rounds = 0
            repeat {
                try await round(20)
                rounds += 1
            } while rounds < 100 && (count("task") < idle.0 + 20 || count("fd") < idle.1 + 20)
            #expect(rounds < 100, "threads: \(idle.0), then \(count("task"))")
            let before = (count("task"), count("fd"))
            for _ in 0..<10 { try await round(20) }
            let after = (count("task"), count("fd"))
            #expect(after.0 <= before.0 + 4, "threads: \(before.0), then \(after.0)")
            #expect(after.1 <= before.1 + 4, "descriptors: \(before.1), then \(after.1)")
            // More names than threads.
            try await round(100)
            #expect(count("task") <= before.0 + 16, "threads: \(before.0), then \(count("task"))")
            loop.stop()
            withExtendedLifetime(server) {}
        }
    }

    @Test(.enabled(if: getuid() == 0)) func `a name without an address is told`() async {
        await #expect(processExitsWith: .success) {
            // No server listens there: the kernel reports it at once.
            let configuration = try ResolverConfiguration("nameserver 127.0.98.54\noptions attempts:1 timeout:1\n")
            let loop = try TransferLoop(name: "test", userAgent: "tests", resolver: configuration.resolver())
            // Again and again: a failure leaves no trace in the next transfer.
            for _ in 0..<3 {
                let error = try await failure(of: TransferRequest(url: "http://host.invalid/"), on: loop)
                #expect(error.reason == .resolve && error.phase == .resolve, "\(error)")
                #expect(error.message.contains("host.invalid"))
            }
            loop.stop()
        }
    }
}
