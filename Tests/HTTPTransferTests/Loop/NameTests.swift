import Coordination
import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

/// How names reach libcurl, which looks none up by itself; no question leaves the process.
@Suite(.timeLimit(.minutes(3)))
struct NameTests {
    private static let loopback = SocketAddress(IPAddress.loopback)

    @Test(arguments: [
        "name.test", "NAME.Test", "name.test.", "xn--mller-kva.test",
    ])
    func `A name leads to the resolver's address, and stays in the request`(_ host: String) async throws {
        let names = RecordingResolver([host: [Self.loopback]])
        let hosts = Locked<[String]>([])
        let server = try RawServer { connection in
            hosts.withLock { $0.append(connection.readHead().lowercased()) }
            connection.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        }
        defer { server.close() }
        try await withLoop(resolver: names) { loop async throws in
            for isFresh in [true, false] {
                let response = try await loop.perform(
                    TransferRequest(url: "http://\(host):\(server.port)/").with { $0.usesFreshConnection = isFresh }
                )
                #expect(response.statistics.remoteAddress == IPAddress.loopback)
                #expect(response.statistics.phases.resolve ?? .zero > .zero)
                #expect(response.statistics.phases.sum == response.statistics.duration)
            }
        }
        #expect(names.asked == [host, host])
        #expect(hosts.withLock { $0 }.allSatisfy { $0.contains("\r\nhost: \(host.lowercased()):\(server.port)\r\n") })
    }

    @Test func `The time of a lookup is that of the phase resolve`() async throws {
        let server = try Self.server()
        defer { server.close() }
        let names = RecordingResolver(["name.test": [Self.loopback]], delay: .milliseconds(60))
        try await withLoop(resolver: names) { loop async throws in
            let began = ContinuousClock.now
            let phases = try await loop.perform(
                TransferRequest(url: "http://name.test:\(server.port)/")
            ).statistics.phases
            #expect(try #require(phases.resolve) >= .milliseconds(60))
            // Counted once: in another phase, too, it would make the phases longer than the transfer.
            #expect(phases.sum <= began.duration(to: .now))
        }
    }

    @Test func `A kept connection needs no lookup, and one that was closed is replaced after one`() async throws {
        let heads = Locked(0)
        let server = try RawServer { connection in
            // The second connection is the last one: it takes what comes.
            let isFirst = heads.withLock { $0 } == 0
            for _ in 0..<(isFirst ? 2 : 1) {
                guard connection.readHead().contains("POST") else { return }
                connection.read(4)
                heads.withLock { $0 += 1 }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            // A third request arrives, and gets no answer: libcurl has to send it again.
            if isFirst { connection.readHead() }
        }
        defer { server.close() }
        let names = RecordingResolver(["name.test": [Self.loopback]])
        try await withLoop(resolver: names) { loop async throws in
            let request = TransferRequest(url: "http://name.test:\(server.port)/", method: .post).with {
                $0.body = .bytes(Array("body".utf8))
            }
            _ = try await loop.perform(request)
            let kept = try await loop.perform(request)
            #expect(kept.statistics.phases.resolve == nil)
            #expect(names.asked.count == 1)
            let replaced = try await loop.perform(request)
            #expect(replaced.status == 200 && replaced.statistics.phases.resolve != nil)
            #expect(names.asked.count == 2)
        }
        #expect(server.accepted == 2)
    }

    @Test(arguments: ["http://proxy.test:%", "socks5://proxy.test:%", "socks5h://proxy.test:%"])
    func `With a proxy its name is looked up, and the destination's where the proxy wants an address`(
        _ proxy: String
    ) async throws {
        let heads = Locked<[String]>([])
        let server = try RawServer { connection in
            if proxy.hasPrefix("http") { heads.withLock { $0 = [connection.readHead()] } }
            connection.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        }
        defer { server.close() }
        let names = RecordingResolver(["proxy.test": [Self.loopback], "far.test": [SocketAddress(test: "198.18.0.1")]])
        try await withLoop(resolver: names) { loop async throws in
            let request = TransferRequest(url: "http://far.test/").with {
                $0.proxy = proxy.replacing("%", with: "\(server.port)")
                $0.timeout = .seconds(5)
            }
            // Not a proxy of SOCKS: it is enough that the connection was made.
            _ = try? await loop.perform(request)
        }
        #expect(names.asked == (proxy.hasPrefix("socks5:") ? ["proxy.test", "far.test"] : ["proxy.test"]))
        #expect(server.accepted == 1)
        if proxy.hasPrefix("http") { #expect(heads.withLock { $0 }.first?.hasPrefix("GET http://far.test/ ") == true) }
    }

    @Test func `The addresses of both families are tried, in the resolver's order`() async throws {
        // No other test listens there over IPv6.
        let server = try Self.server(port: try Loopback.closedPort())
        defer { server.close() }
        let tried = Locked<[IPAddress]>([])
        let both = [SocketAddress(test: "::1"), Self.loopback]
        try await withLoop(resolver: RecordingResolver(["name.test": both])) { loop async throws in
            let request = TransferRequest(url: "http://name.test:\(server.port)/").with {
                $0.mayConnect = { address in
                    tried.withLock { $0.append(address.ip) }
                    return true
                }
            }
            let response = try await loop.perform(request)
            #expect(response.statistics.remoteAddress == IPAddress.loopback)
            #expect(tried.withLock { $0 } == both.map(\.ip))
            tried.withLock { $0 = [] }
            _ = try await loop.perform(
                request.with {
                    $0.family = .ipv4
                    $0.usesFreshConnection = true
                }
            )
            #expect(tried.withLock { $0 } == [IPAddress.loopback])
        }
    }

    @Test func `A link-local address keeps its device`() async throws {
        let address = SocketAddress(try #require(IPAddress("fe80::1")), scope: 1)
        let tried = Locked<[SocketAddress]>([])
        try await withLoop(resolver: RecordingResolver(["name.test": [address]])) { loop async throws in
            let request = TransferRequest(url: "http://name.test:9/").with {
                $0.mayConnect = { address in
                    tried.withLock { $0.append(address) }
                    return false
                }
            }
            #expect(try await failure(of: request, on: loop).reason == .forbidden)
        }
        #expect(tried.withLock { $0 } == [SocketAddress(address.ip, port: 9, scope: 1)])
    }

    @Test func `What one transfer has found is not used by the next one`() async throws {
        let server = try Self.server()
        defer { server.close() }
        let names = RecordingResolver(["name.test": [Self.loopback]])
        try await withLoop(resolver: names) { loop async throws in
            let request = TransferRequest(url: "http://name.test:\(server.port)/")
            _ = try await loop.perform(request)
            names.known.withLock { $0 = [:] }
            let error = try await failure(of: request, on: loop)
            #expect(error.reason == .resolve && error.phase == .resolve)
            #expect(error.message.contains("name.test"))
        }
    }

    @Test func `A connection of bytes leads where the resolver says, and its lookup ends with the signal`() async throws
    {
        let server = try Self.server()
        defer { server.close() }
        let names = RecordingResolver(["name.test": [Self.loopback]])
        var request = ByteConnectionRequest(url: "http://name.test:\(server.port)/")
        request.resolver = names
        let address = try await onOwnThread { [request] in try ByteConnection(request, until: LoopSignal()).address }
        #expect(address == IPAddress.loopback)
        #expect(names.asked == ["name.test"])

        var forbidden = request
        forbidden.mayConnect = { _ in false }
        try await Self.expect(.forbidden, in: .connect, of: forbidden, until: LoopSignal())

        request.resolver = RecordingResolver(["name.test": [Self.loopback]], delay: .seconds(3600))
        request.timeout = .seconds(3600)
        let stopped = try LoopSignal()
        stopped.stop()
        try await Self.expect(.cancelled, of: request, until: stopped)
        request.timeout = .milliseconds(20)
        try await Self.expect(.timeout, of: request, until: LoopSignal())
    }

    private static func expect(
        _ reason: TransferError.Reason,
        in phase: TransferError.Phase = .resolve,
        of request: ByteConnectionRequest,
        until signal: LoopSignal
    ) async throws {
        let error = try await onOwnThread { () -> TransferError? in
            do throws(TransferError) {
                _ = try ByteConnection(request, until: signal)
                return nil
            } catch {
                return error
            }
        }
        #expect(error?.reason == reason && error?.phase == phase)
    }

    /// Answers 204 and closes.
    private static func server(port: UInt16 = 0) throws -> RawServer {
        try RawServer(port: port) { connection in
            connection.readHead()
            connection.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        }
    }
}

/// Knows a few names, and records who asks.
final class RecordingResolver: NameResolving {
    let known: Locked<[String: [SocketAddress]]>
    private let questions = Locked<[String]>([])
    private let delay: Duration
    private let failure: LookupError?

    /// - Parameters:
    ///   - known: the addresses of names.
    ///   - delay: how long it takes to answer.
    ///   - failure: with what it answers every question, `delay` after the deadline.
    init(_ known: [String: [SocketAddress]], delay: Duration = .zero, failure: LookupError? = nil) {
        self.known = Locked(known)
        self.delay = delay
        self.failure = failure
    }

    var asked: [String] { questions.withLock { $0 } }

    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(LookupError) -> [SocketAddress] {
        questions.withLock { $0.append(host) }
        if let failure {
            // Past the deadline: the loop has to wait for the answer.
            try? await Task.sleep(until: deadline + .milliseconds(20) + delay, clock: .continuous)
            throw failure
        }
        if delay > .zero { try? await Task.sleep(until: min(.now + delay, deadline), clock: .continuous) }
        guard deadline > .now else { throw .noAddress(EAI_AGAIN) }
        let found = known.withLock { $0[host] ?? [] }.filter { family == nil || $0.ip.family == family }
        guard !found.isEmpty else { throw .noAddress(EAI_NONAME) }
        return found
    }
}

extension SocketAddress {
    /// A literal address of a test.
    init(test text: String) {
        guard let ip = IPAddress(text) else { preconditionFailure("\(text) is no address") }
        self.init(ip)
    }
}

extension IPAddress {
    fileprivate static var loopback: IPAddress { SocketAddress(test: "127.0.0.1").ip }
}
