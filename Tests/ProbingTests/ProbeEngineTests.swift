import FoundationEssentials
import Glibc
import Lab
import Posix
import Testing

@testable import Probing

/// What the probes of one process share; in a process of its own, whose name server is silent.
@Suite(.timeLimit(.minutes(3)))
struct ProbeEngineTests {
    @Test(.enabled(if: getuid() == 0))
    func `Targets whose names do not resolve take no lookup from the internet checks`() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer { connection in
                _ = connection.readHead()
                connection.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            }
            try limitDescriptors(to: 256)
            let lookups = Int(DescriptorReserve().lookups)
            let nameServer = try SilentNameServer("127.0.98.56")
            let engine = try ProbeEngine(
                userAgent: "test",
                resolver: nameServer.resolver(maxThreads: lookups),
                internetResolver: nameServer.resolver(maxThreads: lookups)
            )
            // Those that are given up keep their place for 30 s.
            await withDiscardingTaskGroup { group in
                for number in 0..<2 * lookups {
                    group.addTask {
                        var target = Target(name: "", address: "http://host\(number).invalid/", probe: HTTPProbe())
                        target.timeout = .milliseconds(100)
                        _ = await engine.probe(target, in: ProbeContext())
                    }
                }
            }

            var configuration = InternetConfiguration()
            // In /etc/hosts, which needs no name server.
            configuration.probes = [
                .init(name: "own", url: "http://localhost:\(server.port)/", expectation: .status(204))
            ]
            configuration.https = []
            configuration.literals = []
            let verdicts = AsyncStream<InternetVerdict>.makeStream()
            let monitor = engine.internetMonitor(
                configuration,
                passiveReport: { nil },
                onVerdict: { verdicts.continuation.yield($0) }
            )
            monitor.pathChanged(.make(1))
            let run = Task { await monitor.run() }
            let deadline = Task {
                // The limit of the wait, which a verdict ends earlier.
                try? await Task.sleep(for: .seconds(8))
                verdicts.continuation.finish()
            }
            let first = await verdicts.stream.first { _ in true }
            precondition(first?.state == .online, "\(String(describing: first)), \(monitor.statistics)")
            deadline.cancel()
            run.cancel()
            engine.stop()
            await run.value
            withExtendedLifetime(nameServer) {}
        }
    }
}
