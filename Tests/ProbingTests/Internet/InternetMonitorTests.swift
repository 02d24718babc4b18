import Coordination
import HTTPTransfer
import Lab
import Posix
import Statistics
import Testing

@testable import Probing

/// The shell over a network of fakes and a clock that the test moves.
@Suite(.timeLimit(.minutes(3)))
struct InternetMonitorTests {
    private let good = FakeInternet.Answer.status(204)

    @Test func `A path starts a round, and the round leads to a verdict`() async throws {
        let internet = FakeInternet(FakeInternet.online)
        let (monitor, verdicts) = internet.monitor()
        #expect(monitor.current == nil)
        monitor.pathChanged(.make(7))
        try await monitor.running {
            var published = verdicts.makeAsyncIterator()
            let verdict = try #require(await published.next())
            #expect(verdict.state == .online)
            #expect(verdict.generation == 7)
            #expect(monitor.current == verdict)
        }
    }

    @Test func `While offline packets go out, and the first answer starts a round with lookups of its own`()
        async throws
    {
        let refused = FakeInternet.Answer.error(.refused, .connect)
        let urls = ["http://first.example/204", "http://second.example/", "https://third.example/"]
        let internet = FakeInternet(
            Dictionary(uniqueKeysWithValues: urls.map { ($0, refused) }),
            alive: ["192.0.2.1"]
        )
        let renewals = Locked(0)
        let (monitor, verdicts) = internet.monitor(renewLookups: { renewals.withLock { $0 += 1 } })
        monitor.pathChanged(.make())
        try await monitor.running {
            var published = verdicts.makeAsyncIterator()
            // The literal is silent until its timeout.
            await internet.clock.sleeper(until: .seconds(3))
            internet.clock.advance(by: .seconds(3))
            #expect(await published.next()?.state == .noInternet)
            internet.change(urls[0], to: good)
            internet.change(urls[2], to: .status(200))
            internet.revive("198.18.0.1")
            let driver = Task {
                while !Task.isCancelled {
                    await Task.yield()
                    internet.clock.advance(by: .milliseconds(10))
                }
            }
            defer { driver.cancel() }
            var last = await published.next()
            while last?.isOnline == false { last = await published.next() }
            #expect(last?.state == .online)
            let literal = try #require(IPAddress("198.18.0.1"))
            #expect(internet.seen.pings.contains(literal))
            #expect(renewals.withLock { $0 } >= 2)
        }
    }

    @Test func `A cut is published after three rounds of one timeout each`() async throws {
        let internet = FakeInternet(FakeInternet.online, alive: ["192.0.2.1"])
        let (monitor, verdicts) = internet.monitor()
        monitor.pathChanged(.make())
        try await monitor.running {
            var published = verdicts.makeAsyncIterator()
            #expect(await published.next()?.state == .online)
            internet.change("http://first.example/204", to: .silence(.connect))
            internet.change("https://third.example/", to: .silence(.connect))
            await internet.clock.sleeper(until: .seconds(5))
            internet.clock.advance(by: .seconds(5))
            // The routine round: the first check and the patience, then the others.
            await internet.clock.sleepers(2)
            let start = internet.clock.now
            internet.clock.advance(by: .seconds(1))
            await internet.clock.sleepers(3)
            internet.clock.advance(by: .seconds(2))
            #expect(await published.next()?.isSuspect == true)
            for wait in [Duration.seconds(1), .milliseconds(1500)] {
                await internet.clock.sleepers(1)
                internet.clock.advance(by: wait)
                await internet.clock.sleepers(4)
                internet.clock.advance(by: .seconds(3))
            }
            let verdict = try #require(await published.next())
            #expect(verdict.state == .noInternet)
            #expect(verdict.cause == .upstream)
            #expect(start.duration(to: internet.clock.now) <= .seconds(12))
        }
    }

    @Test func `Rounds with local failures are no evidence and no loss`() async {
        let internet = FakeInternet(FakeInternet.online)
        let (monitor, verdicts) = internet.monitor()
        monitor.pathChanged(.make())
        await monitor.running {
            var published = verdicts.makeAsyncIterator()
            #expect(await published.next()?.state == .online)
            let asked = internet.seen.requests.count
            for url in ["http://first.example/204", "http://second.example/", "https://third.example/"] {
                internet.change(url, to: .error(.local, .connect))
            }
            // The second round of a new path, then one 30 s later; a third would make the state unknown.
            for second in [5, 35] {
                await internet.clock.sleeper(until: .seconds(second))
                internet.clock.advance(by: .seconds(second == 5 ? 5 : 30))
            }
            await internet.clock.sleeper(until: .seconds(65))
            #expect(internet.seen.requests.count >= asked + 2)
            #expect(monitor.current?.state == .online && monitor.current?.isSuspect == false)
            let account = monitor.statistics.accounts[.init(probe: "first", family: .ipv4)]
            #expect(account?.failures[.local] == 2)
            #expect(monitor.statistics.connectTimes[.ipv4]?.newest().lossRatio == 0)
        }
    }

    @Test func `While other programs receive segments, nothing is checked`() async {
        let internet = FakeInternet(FakeInternet.online)
        let (requests, requested) = AsyncStream<Void>.makeStream()
        let (monitor, verdicts) = internet.monitor(passiveReport: {
            requested.yield()
            return .make(0, received: [.ipv4])
        })
        monitor.pathChanged(.make())
        await monitor.running {
            var published = verdicts.makeAsyncIterator()
            _ = await published.next()
            // The second round of a new path.
            await internet.clock.sleeper(until: .seconds(5))
            internet.clock.advance(by: .seconds(5))
            var passiveRequests = requests.makeAsyncIterator()
            for seconds in stride(from: 35, to: 180, by: 30) {
                await internet.clock.sleeper(until: .seconds(seconds))
                internet.clock.advance(by: .seconds(30))
                await passiveRequests.next()
            }
            await internet.clock.sleeper(until: .seconds(185))
        }
        #expect(internet.asked.filter { $0.hasPrefix("http://first") }.count == 2)
    }

    @Test func `a new path replaces the round of the old one`() async throws {
        let internet = FakeInternet()
        let (monitor, verdicts) = internet.monitor()
        monitor.pathChanged(.make(1))
        try await monitor.running {
            await internet.clock.sleepers(3)
            internet.change("http://first.example/204", to: good)
            internet.change("https://third.example/", to: .status(200))
            monitor.pathChanged(.make(2))
            var published = verdicts.makeAsyncIterator()
            let verdict = try #require(await published.next())
            #expect(verdict.state == .online)
            #expect(verdict.generation == 2)
        }
    }

    @Test func `A lost path is published at once, and so is a stall`() async {
        let internet = FakeInternet(FakeInternet.online)
        let (monitor, verdicts) = internet.monitor()
        monitor.pathChanged(.make())
        await monitor.running {
            var published = verdicts.makeAsyncIterator()
            #expect(await published.next()?.state == .online)
            monitor.observed(.make(1, stalled: [.ipv4]))
            #expect(await published.next()?.isSuspect == true)
            #expect(await published.next()?.isSuspect == false)
            monitor.pathChanged(.unsatisfied(2))
            #expect(await published.next()?.state == .noPath)
        }
    }

    @Test func `A configuration, loss and a suspend reach the machine`() async {
        let internet = FakeInternet(FakeInternet.online, alive: ["192.0.2.1"])
        let (monitor, verdicts) = internet.monitor()
        monitor.pathChanged(.make())
        // Before the first verdict, so that it is 31 s old at the second measurement.
        monitor.measured(loss: 0.5)
        await monitor.running {
            var published = verdicts.makeAsyncIterator()
            #expect(await published.next()?.state == .online)
            await internet.clock.sleeper(until: .seconds(5))
            internet.clock.advance(by: .seconds(31))
            monitor.measured(loss: 0.5)
            #expect(await published.next()?.state == .degraded)
            // A round after a sleep believes what it finds, with the checks of the new rules.
            var configuration = InternetConfiguration.lab
            configuration.probes = []
            configuration.https = []
            configuration.literals = []
            monitor.apply(configuration)
            monitor.resumed()
            // A round with the new rules may end before the resume: one failure only makes the verdict suspect.
            var last = await published.next()
            while let verdict = last, verdict.isSuspect { last = await published.next() }
            #expect(last?.state == .noInternet)
        }
    }

    @Test func `All checks are counted, and their times are kept until the uplink is another one`() async throws {
        let internet = FakeInternet(FakeInternet.online)
        let (monitor, verdicts) = internet.monitor()
        monitor.pathChanged(.make())
        await monitor.running {
            var published = verdicts.makeAsyncIterator()
            _ = await published.next()
        }
        let statistics = monitor.statistics
        #expect(statistics.accounts[.init(probe: "first", family: .ipv4)]?.probes == 1)
        #expect(statistics.lastSuccess.keys.sorted { $0.rawValue < $1.rawValue } == [.ipv4])
        #expect(statistics.connectTimes[.ipv4]?.newest().median == .milliseconds(10))
        monitor.pathChanged(.unsatisfied(2))
        monitor.pathChanged(.make(3, device: 1))
        #expect(monitor.statistics.connectTimes == statistics.connectTimes, "the same uplink is back")
        monitor.pathChanged(.make(4))
        #expect(monitor.statistics.connectTimes.isEmpty)
        #expect(monitor.statistics.accounts == statistics.accounts, "the counters continue")
    }

    @Test func `A cancelled monitor leaves no sleeping task`() async {
        let internet = FakeInternet()
        let (monitor, _) = internet.monitor()
        monitor.pathChanged(.make(families: [.ipv4, .ipv6]))
        await monitor.running { await internet.clock.sleepers(4) }
        #expect(internet.clock.sleeperCount == 0)
    }
}
