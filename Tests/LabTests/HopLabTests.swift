import Coordination
import Glibc
import HTTPTransfer
import Lab
import Posix
import Statistics
import Testing

@testable import Probing

/// The routers on the way, seen from a host behind a router with NAT, over both families.
@Suite(.timeLimit(.minutes(1)))
struct HopLabTests {
    private let line: ProviderLine
    private let readiness: Readiness
    private let log = RefusalLog()

    init() throws {
        line = try ProviderLine()
        readiness = try Readiness(name: "hop-lab")
    }

    private func probe(device: String? = "far") -> HopProbe {
        HopProbe(device: device, readiness: readiness, refusals: log, openSocket: line.host.openSocket)
    }

    private func destination(_ family: AddressFamily) throws -> IPAddress {
        try #require(ProviderLine.destinations[family])
    }

    // MARK: The way

    @Test func `Three hops are found over each family, with their round trips`() async throws {
        var configuration = HopConfiguration()
        configuration.destinations = ProviderLine.destinations
        let (ends, ended) = AsyncStream<Void>.makeStream()
        // The neighbours are known then: where a question for one is lost, the kernel repeats it after a second, and the other family
        // has ended a second round meanwhile. Another probe, whose traffic is not counted here.
        let first = probe()
        for family in AddressFamily.allCases {
            #expect(await first.probe(3, to: try destination(family), timeout: .seconds(20)) != .silent)
        }
        let probing = probe()
        let monitor = HopMonitor(configuration, probing: probing, refusals: log) { ended.yield() }
        monitor.pathChanged(InternetPath(generation: 1, isSatisfied: true, families: [.ipv4, .ipv6]))
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            // The first round: four distances, two families.
            var count = 0
            for await _ in ends {
                count += 1
                if count == 8 { break }
            }
            group.cancelAll()
        }
        #expect(monitor.reports.map(\.family) == [.ipv4, .ipv6])
        for (report, network) in zip(monitor.reports, ["198.18.", "2001:db8:"]) {
            let parts = network.contains(":") ? ["1::1", "2::1", "3::2"] : ["1.1", "2.1", "3.2"]
            #expect(report.hops.map { $0.addresses.map { "\($0)" } } == parts.map { [network + $0] })
            #expect(report.end == 3)
            for hop in report.hops {
                let minimum = try #require(hop.minimum)
                #expect(minimum > .zero && minimum < .seconds(1))
                #expect(hop.probes == hop.replies && hop.window.lossesInARow == 0)
            }
        }
        #expect(log.newest(.ipv4).isEmpty && log.newest(.ipv6).isEmpty, "answers are no refusals")
        // Each probe has an answer that quotes it whole.
        let sent = 4 * (HopBytes.sent(.ipv4) + HopBytes.sent(.ipv6))
        #expect(monitor.traffic.transmitted == sent)
        #expect(monitor.traffic.received == sent + 4 * (28 + 48))
    }

    @Test(arguments: AddressFamily.allCases)
    func `Of many probes under way each has the answer of its own hop`(family: AddressFamily) async throws {
        let (probing, destination) = (probe(), try destination(family))
        let answers = await withTaskGroup(of: (Int, HopOutcome).self) { group in
            // A router of Linux answers six at once.
            for _ in 0..<5 {
                for distance in 1...3 {
                    group.addTask { (distance, await probing.probe(distance, to: destination, timeout: .seconds(20))) }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0, default: []].append($1.1) }
        }
        let expected =
            family == .ipv4
            ? ["198.18.1.1", "198.18.2.1", "198.18.3.2"] : ["2001:db8:1::1", "2001:db8:2::1", "2001:db8:3::2"]
        for distance in 1...3 {
            for outcome in answers[distance] ?? [] {
                guard case .answered(let by, let roundTrip?, let isDestination) = outcome else {
                    Issue.record("\(distance): \(outcome)")
                    continue
                }
                #expect("\(by)" == expected[distance - 1] && isDestination == (distance == 3))
                #expect(roundTrip > .zero)
            }
            #expect(answers[distance]?.count == 5)
        }
    }

    @Test(arguments: AddressFamily.allCases)
    func `A hop that answers only some loses the others, and no answer is taken for another's`(family: AddressFamily)
        async throws
    {
        // By default six answers at once, then one a second: those that are missing here are to be the filtered ones alone.
        for limit in ["ipv4/icmp_ratelimit", "ipv6/icmp/ratelimit"] {
            try line.provider.write("0", to: "/proc/sys/net/\(limit)")
        }
        // The neighbours are known then.
        let (probing, destination) = (probe(), try destination(family))
        #expect(await probing.probe(2, to: destination, timeout: .seconds(20)) != .silent)
        let icmp = family == .ipv4 ? "icmp" : "icmpv6"
        try line.filter(
            line.provider,
            """
            table inet rules {
                chain out {
                    type filter hook output priority 0;
                    \(icmp) type time-exceeded numgen inc mod 2 0 drop
                }
            }
            """
        )
        let outcomes = await withTaskGroup(of: HopOutcome.self) { group in
            // Longer than a busy machine takes to read an answer.
            for _ in 0..<6 { group.addTask { await probing.probe(2, to: destination, timeout: .seconds(5)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .silent } == 3)
        for case .answered(let by, let roundTrip, _) in outcomes {
            #expect("\(by)" == (family == .ipv4 ? "198.18.2.1" : "2001:db8:2::1"))
            // Its own: those that are not answered wait for five seconds.
            #expect(try #require(roundTrip) < .milliseconds(4500))
        }
        #expect(await probing.probe(1, to: destination, timeout: .seconds(20)) != .silent)
    }

    // MARK: Who refuses

    enum Fault: String, CaseIterable {
        case cable, modem, provider, firewall, router

        func make(_ line: ProviderLine) throws {
            switch self {
            case .cable: try line.pullCable()
            case .modem: try line.killModem()
            case .provider: try line.breakProvider()
            case .firewall: try line.forbid()
            case .router: try line.killRouter()
            }
        }

        /// Of the refusal.
        var distance: Int { self == .provider ? 2 : self == .router ? 0 : 1 }
        var meaning: Refusal.Meaning { self == .firewall ? .rejected : .noRoute }

        /// Of IPv4: the type and code.
        var code: (UInt8, UInt8) {
            switch self {
            case .cable, .provider: (3, 0)
            case .modem, .router: (3, 1)
            case .firewall: (3, 13)
            }
        }

        var senders: Set<String> {
            switch self {
            case .cable, .firewall: ["198.18.1.1", "2001:db8:1::1"]
            // With NAT it is that of the far side, which the host does not know.
            case .modem: ["198.18.1.1", "198.18.2.2", "2001:db8:1::1", "2001:db8:2::2"]
            case .provider: ["198.18.2.1", "2001:db8:2::1"]
            case .router: ["198.18.1.2", "2001:db8:1::2"]
            }
        }

        func check(_ refusal: Refusal?, _ comment: Comment) throws {
            let refusal = try #require(refusal, comment)
            #expect(senders.contains("\(refusal.sender)"), "\(comment): \(refusal)")
            #expect(refusal.distance == distance, "\(comment): \(refusal)")
            #expect(refusal.meaning == meaning, "\(comment): \(refusal)")
            if refusal.sender.family == .ipv4 { #expect((refusal.type, refusal.code) == code, comment) }
            #expect(ProviderLine.destinations[refusal.sender.family] == refusal.destination, comment)
        }
    }

    @Test(arguments: Fault.allCases, AddressFamily.allCases)
    func `The refusal of a probe and of a connection names its sender`(fault: Fault, family: AddressFamily) async throws
    {
        try fault.make(line)
        // What this host says to itself comes over the loopback, which a bound socket does not hear.
        let device = fault == .router ? nil : "far"
        let (probing, destination) = (probe(device: device), try destination(family))
        let handshakes = HandshakeTimer(readiness: readiness, openSocket: line.host.openSocket)
        async let connected = handshakes.connect(
            to: SocketAddress(destination, port: 443),
            interface: device,
            timeout: .seconds(20)
        )
        let outcome = await probing.probe(3, to: destination, timeout: .seconds(20))
        guard case .refused(let refusal) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try fault.check(refusal, "hop probe")
        try fault.check(log.newest(family).last, "log")
        let result = await connected
        #expect(result.failure == .unreachable)
        try fault.check(result.refusal, "connection")
        // A router without a route says so where it would say that the hop limit has ended, and seldom.
        guard fault != .router, fault != .cable else { return }
        let first = await probing.probe(1, to: destination, timeout: .seconds(20))
        guard case .answered(_, _?, false) = first else {
            Issue.record("the router still answers: \(first)")
            return
        }
    }

    @Test(arguments: AddressFamily.allCases)
    func `A ping keeps who refused it, too`(family: AddressFamily) async throws {
        try Fault.provider.make(line)
        let destination = try destination(family)
        let pinger = Pinger(readiness: readiness, openSocket: line.host.openSocket) { _ in }
        let pinged = await pinger.ping(SocketAddress(destination), name: "t", device: nil, until: .now + .seconds(20))
        #expect(pinged.failure == .unreachable)
        try Fault.provider.check(pinged.refusal, "ping")
    }

    @Test(arguments: AddressFamily.allCases)
    func `A transfer that finds no way keeps who said so`(family: AddressFamily) async throws {
        try Fault.provider.make(line)
        let server = SocketAddress(try destination(family), port: 80)
        // Its thread stays in the namespace, and is user 65534.
        let loop = try line.host.inside(asNobody: true) { try TransferLoop(name: "lab", userAgent: "lab") }
        defer { loop.stop() }
        for scheme in ["http", "https"] {
            var request = TransferRequest(url: "\(scheme)://\(server)/")
            request.timeout = .seconds(20)
            do throws(TransferError) {
                _ = try await loop.perform(request)
                Issue.record("there was no way")
            } catch {
                #expect(error.reason == .unreachable)
                try Fault.provider.check(error.statistics.routerError.map { Refusal($0) }, "\(scheme)")
            }
        }
    }

    @Test func `A refused port has no refusal of a router`() async throws {
        let handshakes = HandshakeTimer(readiness: readiness, openSocket: line.host.openSocket)
        for destination in ProviderLine.destinations.values {
            let refused = await handshakes.connect(
                to: SocketAddress(destination, port: 443),
                interface: nil,
                timeout: .seconds(20)
            )
            #expect(refused.failure == .refused && refused.refusal == nil)
        }
    }

    @Test(arguments: AddressFamily.allCases)
    func `User 65534 without capabilities sees the same`(family: AddressFamily) async throws {
        try Fault.cable.make(line)
        let destination = try destination(family)
        let refusals = try line.host.inside(asNobody: true) {
            try [SocketType.datagram, SocketType.stream].map { type in
                let socket =
                    type == SocketType.datagram
                    ? try HopSocket.open(family, device: nil, with: Descriptor.openSocket)
                    : try Descriptor.openSocket(family: family.number, type: type, protocol: 0)
                #expect(SocketOptions.setRouterErrors(socket.number, true, family) == 0)
                #expect(SocketOptions.setHopLimit(socket.number, 3, family) == 0)
                _ = SocketAddress(destination, port: HopMessage.port(of: 3)).withPointer {
                    connect(socket.number, $0, $1)
                }
                if type == SocketType.datagram {
                    try socket.setTimestamps(false)
                    let message = HopMessage(number: 7).bytes
                    #expect(Glibc.send(socket.number, message, message.count, 0) == message.count)
                }
                var descriptors = [pollfd(fd: socket.number, events: 0, revents: 0)]
                Poll.wait(for: &descriptors, upTo: .seconds(20))
                return RouterError.take(from: socket.number).map { Refusal($0) }
            }
        }
        for refusal in refusals { try Fault.cable.check(refusal, "nobody") }
    }
}
