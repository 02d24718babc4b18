import HTTPTransfer
import Testing

@testable import Probing

/// What the monitor reports and asks beside its verdicts, over a network of fakes.
@Suite(.timeLimit(.minutes(1)))
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
