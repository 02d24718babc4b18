import CLab
import Foundation
import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

/// Name lookups that fail or never end; no question leaves the machine.
@Suite(.timeLimit(.minutes(1)))
struct ResolverTests {
    @Test(.enabled(if: getuid() == 0)) func `a dead resolver holds up nobody, nor the stop`() async {
        // In a process of its own, whose resolv.conf names a server on loopback that never answers: glibc gives up
        // after 10 s.
        await #expect(processExitsWith: .success) {
            let server = try SilentNameServer("127.0.98.53")
            let loop = try TransferLoop(name: "test", userAgent: "tests")
            let port = try Loopback.closedPort()

            let start = ContinuousClock.now
            let dead = TransferRequest(url: "http://host.invalid/").with { $0.timeout = .seconds(1) }
            async let first = failure(of: dead, on: loop)
            async let second = failure(of: dead.with { $0.connectTimeout = .milliseconds(500) }, on: loop)
            let other = try await failure(of: TransferRequest(url: "http://127.0.0.1:\(port)/"), on: loop)
            precondition(other.reason == .refused && other.statistics.duration < .seconds(1))
            for error in try await [first, second] {
                precondition(error.reason == .timeout && error.phase == .resolve, "\(error)")
                precondition(error.statistics.phases.resolve == error.statistics.duration)
            }
            let task = Task { try await failure(of: dead.with { $0.timeout = .seconds(30) }, on: loop) }
            // Done in order: when this one has ended, the other one is under way.
            _ = try await failure(of: TransferRequest(url: "http://127.0.0.1:\(port)/"), on: loop)
            loop.stop()
            let stopped = try await task.value
            precondition(stopped.reason == .stopped)
            // Far from the 10 s for which a lookup that somebody waits for would hold the loop.
            precondition(start.duration(to: .now) < .seconds(5), "\(start.duration(to: .now))")
            withExtendedLifetime(server) {}
        }
    }

    @Test(.enabled(if: getuid() == 0)) func `A transfer that waits behind lookups of a silent server ends as they do`()
        async
    {
        await #expect(processExitsWith: .success) {
            let server = try SilentNameServer("127.0.98.55")
            let loop = try TransferLoop(name: "test", userAgent: "tests", maxLookups: 1)
            let request = TransferRequest(url: "http://host.invalid/").with { $0.timeout = .milliseconds(300) }
            async let first = failure(of: request, on: loop)
            async let second = failure(of: request, on: loop)
            for error in try await [first, second] {
                precondition(error.reason == .timeout && error.phase == .resolve, "\(error)")
            }
            loop.stop()
            withExtendedLifetime(server) {}
        }
    }

    @Test(.enabled(if: getuid() == 0)) func `a name without an address is told`() async {
        await #expect(processExitsWith: .success) {
            let configuration = try Folder()
            // Nobody listens there: the kernel says so at once.
            try configuration.write("nameserver 127.0.98.54\noptions attempts:1 timeout:1\n", to: "resolv.conf")
            precondition(nhe_replace_file("/etc/resolv.conf", configuration.file("resolv.conf")) == 0)
            let loop = try TransferLoop(name: "test", userAgent: "tests")
            // Again and again: a failure leaves no trace in the next transfer.
            for _ in 0..<3 {
                let error = try await failure(of: TransferRequest(url: "http://host.invalid/"), on: loop)
                precondition(error.reason == .resolve && error.phase == .resolve, "\(error)")
                precondition(error.message.contains("host.invalid"))
            }
            loop.stop()
        }
    }
}
