import Coordination
import Lab
import Posix
import Statistics
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(3)))
struct ResolverMonitorTests {
    private var plan: ResolverPlan {
        var plan = ResolverPlan()
        plan.name = "www.example.com"
        return plan
    }

    private let path = InternetPath(generation: 1, isSatisfied: true, families: [.ipv4])

    @Test func `It asks once it has a path, sooner after a silence, and counts its packets`() async throws {
        let clock = ManualClock()
        let (asked, asks) = AsyncStream<String>.makeStream()
        let isDead = Locked(true)
        let monitor = ResolverMonitor(plan, clock: clock) { name, server, timeout in
            var result = ProbeResult(failure: isDead.withLock { $0 } ? .timeout : nil)
            (result.sentBytes, result.receivedBytes) = (40, result.failure == nil ? 60 : 0)
            asks.yield("\(name) \(server.address) \(timeout.components.seconds)")
            return result
        }
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            await clock.sleeper(until: .seconds(3600))
            monitor.pathChanged(path, servers: ["192.0.2.1"])
            var questions = asked.makeAsyncIterator()
            #expect(await questions.next() == "www.example.com 192.0.2.1 5")
            await clock.sleeper(until: .seconds(5))
            isDead.withLock { $0 = false }
            clock.advance(by: .seconds(5))
            #expect(await questions.next() != nil)
            await clock.sleeper(until: .seconds(305))
            monitor.modeChanged(.offline)
            await clock.sleeper(until: .seconds(10))
            group.cancelAll()
        }
        #expect(monitor.reports.map(\.address) == ["192.0.2.1"] && monitor.reports[0].isUp == true)
        #expect(monitor.reports[0].window.newest().list.count == 2)
        #expect(monitor.traffic == ByteCounts(received: 60 + 28, transmitted: 2 * (40 + 28)))
    }

    @Test func `An error is an answer, a name without an address no error, and a limit of this machine says nothing`()
        async
    {
        // SERVFAIL, then NOERROR.
        let (codes, clock, asked): ([Int?], ManualClock, Locked<Int>) = ([nil, 2, 0], ManualClock(), Locked(0))
        let monitor = ResolverMonitor(plan, clock: clock) { _, _, _ in
            let count = asked.withLock {
                $0 += 1
                return $0
            }
            guard let code = codes[count - 1] else { return ProbeResult(failure: .local) }
            var result = ProbeResult(failure: .rcode)
            result.dns = DNSFacts(responseCode: code, answers: 0, authorities: 0, additionals: 0)
            return result
        }
        monitor.pathChanged(path, servers: ["192.0.2.1"])
        let states: [Bool?] = [nil, false, true]
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            for (number, isUp) in states.enumerated() {
                if number > 0 { clock.advance(by: .seconds(300)) }
                // None of them is looked into: the next question is an ordinary one.
                await clock.sleeper(until: .seconds(300 * (number + 1)))
                #expect(monitor.reports.map(\.isUp) == [isUp])
                #expect(monitor.reports.map(\.window.count) == [number])
            }
            group.cancelAll()
        }
        #expect(monitor.reports.map(\.window.lossesInARow) == [0])
    }

    @Test func `A server answers a question of its own, and one that is silent has no answer`() async throws {
        // Not on port 53, as root alone may listen there: the question goes through the same code.
        let server = try DNSMasq("--address=/www.example.com/192.0.2.7")
        let readiness = try Readiness(name: "test")
        defer { readiness.stop() }
        let place = try #require(SocketAddress(server.address))
        let monitor = ResolverMonitor(plan) { name, server, _ in
            let port: UInt16 = server.address == place.ip ? place.port : 9
            return await DNSProbe.ask(for: name, at: server.address, port: port, timeout: .seconds(20), readiness)
        }
        monitor.pathChanged(path, servers: ["\(place.ip)", "127.0.0.1"])
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            while monitor.reports.contains(where: { $0.isUp == nil }) { await Task.yield() }
            group.cancelAll()
        }
        #expect(monitor.reports.map(\.isUp) == [true, false])
        let duration = try #require(monitor.reports[0].duration)
        #expect(duration > .zero && duration < .seconds(20))
    }
}
