import Coordination
import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(3))) struct DNSProbeTests {
    /// On the loopback, without a listener.
    private static let closed = "127.9.8.7:9"

    /// The recorded answer under the query's own id.
    private static func answer(_ recorded: [UInt8] = RecordedDNS.aliased, to query: [UInt8]) -> [UInt8] {
        Array(query[..<2] + recorded[2...])
    }

    private static func truncated(_ query: [UInt8]) -> [UInt8] {
        var answer = Array(answer(to: query)[..<33])
        answer[2] |= 0x02
        return answer
    }

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
    }

    @Test func `Reports the answer, its duration and its bytes`() async throws {
        let server = try FaultServer { [Self.answer(to: $0)] }
        let result = try await DNSProbe.ask(server.address)
        #expect(result.isSuccess && result.detail == "")
        #expect(result.method == .udp && result.address == IPAddress("127.0.0.1") && result.device == nil)
        #expect(result.dns == DNSFacts(responseCode: 0, answers: 2, authorities: 0, additionals: 1))
        #expect(result.sentBytes == 44 && result.receivedBytes == UInt64(RecordedDNS.aliased.count))
        let phases = result.phases
        let resolve = try #require(phases.resolve)
        let processing = try #require(phases.processing)
        #expect(phases.connect == nil && phases.tls == nil && phases.transfer == nil)
        #expect(processing > .zero && resolve + processing <= result.duration)
    }

    @Test func `Uses another id for each query`() async throws {
        let (queries, query) = AsyncStream<[UInt8]>.makeStream()
        let server = try FaultServer {
            query.yield($0)
            return [Self.answer(to: $0)]
        }
        for _ in 0..<4 { _ = try await DNSProbe.ask(server.address) }
        var ids: Set<[UInt8]> = []
        for await query in queries.prefix(4) { ids.insert(Array(query[..<2])) }
        #expect(ids.count > 1)
    }

    @Test func `Sends a query once and waits for its answer until the deadline`() async throws {
        let queries = Locked(0)
        let server = try FaultServer { query in
            let count = queries.withLock { count in
                count += 1
                return count
            }
            return count == 1 ? [] : [Self.answer(to: query)]
        }
        let result = try await DNSProbe.ask(server.address, timeout: .milliseconds(300))
        #expect(result.failure == .timeout && result.detail == "\(server.address): no answer in time")
        #expect(result.duration >= .milliseconds(300) && result.phases.processing == nil && result.method == .udp)
        // The server takes the queries in their order: before it answers this one it has had all of the first probe.
        #expect(try await DNSProbe.ask(server.address).isSuccess)
        #expect(queries.withLock { $0 } == 2)
    }

    @Test func `Ignores answers to another query or question`() async throws {
        let server = try FaultServer { query in
            let right = Self.answer(to: query)
            var otherID = Self.answer(RecordedDNS.missing, to: query)
            otherID[0] ^= 0xff
            let otherQuestion = Self.answer(RecordedDNS.ipv6, to: query)
            return [otherID, [], [1], otherQuestion, query, right]
        }
        let result = try await DNSProbe.ask(server.address)
        #expect(result.isSuccess, "\(result.detail)")
    }

    @Test func `Reports that only foreign answers were received`() async throws {
        let server = try FaultServer { [Self.answer(RecordedDNS.ipv6, to: $0)] }
        // Nothing but its time ends it, in which the server must have answered.
        let result = try await DNSProbe.ask(server.address, timeout: .seconds(2))
        #expect(result.failure == .timeout)
        #expect(result.detail == "\(server.address): no answer in time but the answer to another question")
    }

    @Test func `Fails with the response code of the answer`() async throws {
        let server = try FaultServer {
            var answer = Array(Self.answer(RecordedDNS.badVersion, to: $0)[..<33])
            (answer[3], answer[11]) = (0x82, 0)
            return [answer]
        }
        let result = try await DNSProbe.ask(server.address)
        #expect(result.failure == .rcode && result.detail == "SERVFAIL from \(server.address)")
        #expect(result.dns?.responseCode == 2 && result.phases.processing != nil)
    }

    @Test func `Reports garbage with its own id as a protocol violation`() async throws {
        let server = try FaultServer { [Array(Self.answer(to: $0)[..<60])] }
        let result = try await DNSProbe.ask(server.address)
        #expect(result.failure == .protocolViolation && result.dns == nil)
        #expect(result.detail.hasPrefix("\(server.address): the message ends"))
    }

    @Test func `Repeats a truncated answer's query over TCP`() async throws {
        let server = try FaultServer { query in
            // In pieces, the first of them half of the length, and with something behind it.
            let framed = Self.framed(Self.answer(to: query))
            return [Array(framed[..<1]), Array(framed[1..<20]), framed[20...] + [1, 2, 3]]
        } datagram: {
            [Self.truncated($0)]
        }
        let result = try await DNSProbe.ask(server.address)
        #expect(result.isSuccess && result.method == .tcp, "\(result.detail)")
        #expect(result.sentBytes == 44 + 46 && result.receivedBytes >= 33 + 2 + UInt64(RecordedDNS.aliased.count))
        let parts = [result.phases.resolve, result.phases.connect, result.phases.processing, result.phases.transfer]
        let phases = try parts.map { try #require($0) }
        #expect(phases.reduce(.zero, +) <= result.duration && phases[1] > .zero && phases[2] > .zero)
    }

    @Test(
        arguments: [
            // Nothing, half of a length, half of a message, one under another id, one that is truncated again.
            { _ in [] },
            { _ in [[0]] },
            { [Array(framed(answer(to: $0))[..<40])] },
            { [framed(answer(to: [~$0[0], $0[1]]))] },
            { [framed(truncated($0))] },
        ] as [FaultServer.Answers]
    )
    func `Fails if TCP has no answer either`(_ stream: @escaping FaultServer.Answers) async throws {
        let server = try FaultServer(stream: stream) { [Self.truncated($0)] }
        let result = try await DNSProbe.ask(server.address)
        #expect(result.failure == .protocolViolation && result.method == .tcp && result.dns == nil, "\(result.detail)")
    }

    @Test func `is refused by a closed port, over UDP and over TCP`() async throws {
        let datagram = try await DNSProbe.ask(Self.closed)
        #expect(datagram.failure == .refused && datagram.method == .udp, "\(datagram.detail)")
        #expect(datagram.detail == "\(Self.closed): receive: Connection refused (errno 111)")
        let server = try FaultServer { [Self.truncated($0)] }
        let stream = try await DNSProbe.ask(server.address)
        #expect(stream.failure == .refused && stream.method == .tcp, "\(stream.detail)")
    }

    @Test func `Cannot reach a broadcast address`() async throws {
        let result = try await DNSProbe.ask("255.255.255.255")
        #expect(result.failure == .unreachable && result.method == nil, "\(result.detail)")
    }

    @Test func `binds to its device, which must exist`() async throws {
        let server = try FaultServer { [Self.answer(to: $0)] }
        let bound = try await DNSProbe.ask(server.address) { $0.interface = "lo" }
        #expect(bound.isSuccess && bound.device == "lo", "\(bound.detail)")
        let missing = try await DNSProbe.ask(server.address) { $0.interface = "nhe-none" }
        #expect(missing.failure == .noInterface, "\(missing.detail)")
    }

    @Test func `Tries the addresses of a name until one is not a dead end, on port 53 by default`() async throws {
        let addresses = ["127.9.8.7", "127.0.0.1", "::1"].compactMap(IPAddress.init).map {
            SocketAddress($0)
        }
        let resolver = FixedResolver(addresses: ["dns.test": addresses, "closed.test": [addresses[0]]])
        let server = try FaultServer { [Self.answer(to: $0)] }
        let second = try await DNSProbe.ask("dns.test:\(server.port)", resolver: resolver)
        #expect(second.isSuccess && second.address == IPAddress("127.0.0.1"), "\(second.detail)")
        let plain = try await DNSProbe.ask("closed.test", resolver: resolver)
        #expect(plain.failure == .refused && plain.detail.hasPrefix("127.9.8.7:53: "), "\(plain.detail)")
        let ipv6 = try await DNSProbe.ask("dns.test:9", resolver: resolver) { $0.family = .ipv6 }
        #expect(ipv6.failure == .refused && ipv6.detail.hasPrefix("[::1]:9: "), "\(ipv6.detail)")
    }

    @Test func `Queries the router of the path`() async throws {
        let gateways = ["::1%lo", "127.9.8.7"].compactMap(ProbeContext.Gateway.init)
        let first = try await DNSProbe.ask("_gateway", gateways: gateways)
        #expect(first.failure == .refused && first.address == IPAddress("::1"), "\(first.detail)")
        #expect(first.phases.resolve == .zero && first.duration > .zero)
        let ipv4 = try await DNSProbe.ask("_gateway", gateways: gateways) { $0.family = .ipv4 }
        #expect(ipv4.failure == .refused && ipv4.detail.hasPrefix("127.9.8.7:53: "), "\(ipv4.detail)")
        let elsewhere = try await DNSProbe.ask("_gateway", gateways: gateways) { $0.interface = "nhe-none" }
        #expect(elsewhere.failure == .noInterface && elsewhere.address == IPAddress("127.9.8.7"), "\(elsewhere.detail)")
        let none = try await DNSProbe.ask("_gateway")
        #expect(none.failure == .unreachable && none.detail == "the path has no such gateway")
        let lost = ["fe80::1%nhe-none"].compactMap(ProbeContext.Gateway.init)
        #expect(try await DNSProbe.ask("_gateway", gateways: lost).failure == .noInterface)
    }

    @Test func `fails without a server or a name`() async throws {
        let unknown = try await DNSProbe.ask("dns.test")
        #expect(unknown.failure == .resolve && unknown.method == nil, "\(unknown.detail)")
        let noDevice = try await DNSProbe.ask("fe80::1%nhe-none", resolver: SystemResolver())
        #expect(noDevice.failure == .noInterface, "\(noDevice.detail)")
        let nowhere = try await DNSProbe.ask("a:b:c]")
        #expect(nowhere.failure == .resolve, "\(nowhere.detail)")
        let nameless = try await DNSProbe.ask(Self.closed, "a..b")
        #expect(nameless.failure == .resolve && nameless.detail == "query “a..b”: a domain name has no empty labels")
    }

    @Test func `ends with its task`() async throws {
        let (queries, query) = AsyncStream<[UInt8]>.makeStream()
        let server = try FaultServer {
            query.yield($0)
            return []
        }
        let task = Task { try await DNSProbe.ask(server.address, timeout: .seconds(3600)) }
        for await _ in queries.prefix(1) { task.cancel() }
        let result = try await task.value
        #expect(result.failure == .timeout && result.detail == "\(server.address): cancelled")
    }
}
