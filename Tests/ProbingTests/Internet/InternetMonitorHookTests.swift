import Coordination
import HTTPTransfer
import Lab
import Testing

@testable import Probing

/// What the monitor reports and asks beside its verdicts, over a network of fakes.
@Suite(.timeLimit(.minutes(3)))
struct InternetMonitorHookTests {
    @Test func `Each check that a limit of this machine ends is reported with its error`() async {
        let internet = FakeInternet([
            "http://first.example/204": .error(.local, .connect), "https://third.example/": .status(200),
        ])
        let errors = AsyncStream<String>.makeStream()
        let (monitor, _) = internet.monitor(onLocalFailure: { errors.continuation.yield($0) })
        monitor.pathChanged(.make())
        await monitor.running {
            #expect(await errors.stream.first { _ in true } == "http://first.example/204")
        }
    }

    @Test func `A clock that makes certificates invalid is reported, and the difference kept for each family`() async {
        var response = TransferResponse(status: 204)
        response.headers = [("Date", "Fri, 01 Jan 2100 00:00:00 GMT")]
        let internet = FakeInternet(
            [
                "http://first.example/204": .response(response), "https://third.example/": .untrusted(.notYetValid),
            ]
        )
        let faults = AsyncStream<Duration>.makeStream()
        let (monitor, _) = internet.monitor(onClockFault: { faults.continuation.yield($0) })
        #expect(monitor.statistics.clockSkew == nil)
        monitor.pathChanged(.make())
        await monitor.running {
            let fault = await faults.stream.first { _ in true }
            #expect(fault.map { $0 < .seconds(-86_400) } == true)
            #expect(monitor.statistics.clockSkew == fault)
        }
    }

    @Test func `A link that changes while offline starts a round at once, and one that changed before it does not`()
        async
    {
        let refused = FakeInternet.Answer.error(.refused, .connect)
        let urls = ["http://first.example/204", "http://second.example/", "https://third.example/"]
        // Names lead nowhere and addresses answer: no packet is sent that could show the end of the outage.
        let internet = FakeInternet(
            Dictionary(uniqueKeysWithValues: urls.map { ($0, refused) }),
            alive: ["192.0.2.1", "198.18.0.1"]
        )
        let changes = Locked<UInt64>(7)
        let (monitor, verdicts) = internet.monitor(pulseTools: PulseTools(kernelChanges: { changes.withLock { $0 } }))
        monitor.pathChanged(.make())
        await monitor.running {
            var published = verdicts.makeAsyncIterator()
            // The kernel does not know the router, so that the next look follows after 1.1 s.
            for look in [1100, 2200] {
                #expect(await published.next()?.state == .dnsBroken)
                await internet.clock.sleeper(until: .milliseconds(look))
                changes.withLock { $0 += 1 }
                for (url, answer) in FakeInternet.online { internet.change(url, to: answer) }
                internet.clock.advance(to: .milliseconds(look))
                #expect(await published.next()?.isRecovering == true)
                #expect(await published.next()?.state == .online)
                // Another one, and after a suspend the next outage.
                changes.withLock { $0 += 1 }
                for url in urls { internet.change(url, to: refused) }
                monitor.resumed()
            }
        }
    }

    @Test func `The API of an advertised portal is queried`() async {
        let internet = FakeInternet(FakeInternet.online)
        let (monitor, verdicts) = internet.monitor(captive: { $0 == "https://portal.example/api" })
        monitor.pathChanged(.make())
        await monitor.running {
            var published = verdicts.makeAsyncIterator()
            #expect(await published.next()?.state == .online)
            monitor.pathChanged(.make(portal: "https://portal.example/api"))
            #expect(await published.next()?.state == .captivePortal)
        }
    }
}
