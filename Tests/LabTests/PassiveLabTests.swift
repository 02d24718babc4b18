import CLab
import Glibc
import Lab
import NetworkHealth
import Posix
import Statistics
import Testing

@testable import Probing

/// Connections of other programs over a real cable, and very many of them.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PassiveLabTests {
    /// The standard addresses, with those of the lab for the internet.
    private static let global = GlobalAddresses(
        excluding: GlobalAddresses.standard.excluded.filter { $0.description != "198.18.0.0/15" }
    )

    private static let server = """
        import select, socket
        listener = socket.create_server(("198.18.5.2", 4000))
        print("ready", flush=True)
        held = [listener]
        while True:
            for readable in select.select(held, [], [])[0]:
                if readable is listener:
                    held.append(listener.accept()[0])
                else:
                    try:
                        readable.send(readable.recv(100))
                    except ConnectionError:
                        held.remove(readable)
        """

    private static let client = """
        import socket, sys
        held = [socket.create_connection(("198.18.5.2", 4000)) for _ in range(12)]
        print("ready", flush=True)
        for line in sys.stdin:
            for connection in held:
                connection.send(b"question")
            if line == "talk\\n":
                for connection in held:
                    connection.recv(100)
            print("done", flush=True)
        """

    @Test func `hears others talk, then hears that nobody answers, then that somebody does`() async throws {
        let (near, far) = (try Namespace(), try Namespace())
        try near.ip("link add eth0 type veth peer name far0 netns \(far.name)")
        // Behind a router: what is on the own link proves no internet.
        try far.ip(
            "address add 198.18.0.2/24 dev far0\nlink set far0 up\nlink set lo up\naddress add 198.18.5.2/32 dev lo"
        )
        try near.ip("address add 198.18.0.1/24 dev eth0\nlink set eth0 up\nroute add 198.18.5.0/24 via 198.18.0.2")
        let server = try Script(in: far, Self.server)
        let client = try Script(in: near, Self.client)

        let path = "/run/netns/\(near.name)"
        let observer = PassiveObserver(
            interval: .seconds(3600),
            global: Self.global,
            prepareThread: {
                if nhe_enter_network_namespace(path) != 0 { Issue.record("cannot enter \(path)") }
                if nhe_become_nobody() != 0 { Issue.record("cannot become nobody") }
            }
        )
        let reports = observer.reports()
        let task = Task { await observer.run() }
        for await _ in reports { break }

        // Those over another device than the path's say nothing.
        let watch = InternetWatch(
            InternetConfiguration(),
            engine: try ProbeEngine(userAgent: "lab"),
            passive: observer,
            kernelChanges: { 0 },
            onLocalFailure: { _ in },
            onClockFault: { _ in },
            onVerdict: { _ in }
        )
        watch.pathChanged(InternetPath(generation: 1, isSatisfied: true, devices: [9999]))
        try client.tell("talk")
        let elsewhere = try #require(await observer.report())
        #expect(elsewhere.receivedFamilies.isEmpty && elsewhere.medianRTT == nil)
        watch.pathChanged(InternetPath(generation: 2, isSatisfied: true))
        // What did not count is known from the next look on.
        _ = await observer.report()

        try client.tell("talk")
        let talking = try #require(await observer.report())
        #expect(talking.receivedFamilies == [.ipv4])
        #expect(talking.stalledFamilies.isEmpty)
        #expect(try #require(talking.medianRTT) < .seconds(1))
        #expect(observer.statistics.rtt.counts.reduce(0, +) >= 12)

        // The other side drops what arrives.
        try far.ip("address del 198.18.5.2/32 dev lo")
        try client.tell("send")
        let cut = ContinuousClock.now
        let stalled = try await Self.report(of: observer) { !$0.stalledFamilies.isEmpty }
        print("answers ceased to stall: \(cut.duration(to: .now))")
        #expect(stalled.stalledFamilies == [.ipv4])
        #expect(stalled.receivedFamilies.isEmpty)

        try far.ip("address add 198.18.5.2/32 dev lo")
        let again = try await Self.report(of: observer) { !$0.receivedFamilies.isEmpty }
        #expect(again.stalledFamilies.isEmpty)
        #expect(observer.failure == nil)
        task.cancel()
        await task.value
        withExtendedLifetime(server) {}
    }

    /// Asks every 300 ms until a report satisfies the condition.
    private static func report(
        of observer: PassiveObserver,
        where condition: (PassiveReport) -> Bool
    ) async throws -> PassiveReport {
        while true {
            let report = try #require(await observer.report())
            if condition(report) { return report }
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    private static let many = """
        import resource, socket, sys
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        listener = socket.create_server(("127.0.0.1", 4000), backlog=4096)
        held = []
        def connect(count):
            for _ in range(count):
                client = socket.create_connection(("127.0.0.1", 4000))
                server = listener.accept()[0]
                client.send(b"question")
                server.recv(8)
                held.extend([client, server])
            print("ready", flush=True)
        connect(500)
        for line in sys.stdin:
            connect(int(line))
        """

    @Test func `8,000 connections cost what eight times 1,000 do`() throws {
        let namespace = try Namespace("link set lo up")
        let script = try Script(in: namespace, Self.many)
        let loopback = GlobalAddresses(
            excluding: GlobalAddresses.standard.excluded.filter { $0.description != "127.0.0.0/8" }
        )
        func median(of expected: Int) throws -> Duration {
            let (count, sampled, costs) = try namespace.inside(asNobody: true) {
                var source = FlowSource()
                var evidence = PassiveEvidence(interval: .seconds(60), global: loopback)
                var count = 0
                var sampled = 0
                var costs: [Duration] = []
                for _ in 0..<11 {
                    let began = Self.processorTime
                    let dump = try source.read()
                    let flows = dump.flows
                    // Without the neighbours, among whom loopback is.
                    let roundTrips = evidence.take(flows, own: dump.own, at: .now).roundTrips
                    costs.append(Self.processorTime - began)
                    count = flows.count
                    sampled = max(sampled, roundTrips.count)
                }
                return (count, sampled, costs.sorted())
            }
            print("\(expected) connections: median \(costs[5]), worst \(costs[10])")
            #expect(count == expected)
            #expect(sampled == expected)
            return costs[5]
        }
        let few = try median(of: 1000)
        try script.tell("3500")
        #expect(try median(of: 8000) < few * 8 * 2)
    }

    /// What this thread has cost so far: time that other programs take from it does not count.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
