import Coordination
import HTTPTransfer
import Lab
import Posix
import Testing

/// Which address, over which device, by whose leave.
@Suite(.timeLimit(.minutes(3)))
struct ConnectionTests {
    /// The same port of ::1 and 127.0.0.1; each says which it is.
    private func withBothFamilies(_ body: (_ url: String) async throws -> Void) async throws {
        let answer: @Sendable (RawConnection) -> Void = { connection in
            while !connection.readHead().isEmpty { connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
        }
        var pair: (ipv6: RawServer, ipv4: RawServer)?
        while pair == nil {
            // Its port may be taken in the other family.
            let ipv6 = try RawServer(ipv6: true, answer)
            if let ipv4 = try? RawServer(port: ipv6.port, answer) { pair = (ipv6, ipv4) } else { ipv6.close() }
        }
        let (ipv6, ipv4) = try #require(pair)
        defer {
            ipv6.close()
            ipv4.close()
        }
        try await body("http://localhost:\(ipv4.port)/")
    }

    @Test(arguments: AddressFamily.allCases)
    func `a family is forced, for kept connections too`(_ family: AddressFamily) async throws {
        try await withBothFamilies { url async throws in
            try await withLoop { loop async throws in
                for wanted in [family, family == .ipv4 ? .ipv6 : .ipv4, family] {
                    let response = try await loop.perform(TransferRequest(url: url).with { $0.family = wanted })
                    #expect(response.statistics.remoteAddress == IPAddress(wanted == .ipv4 ? "127.0.0.1" : "::1"))
                    #expect(
                        response.statistics.phases.resolve ?? .zero > .zero || response.statistics.phases.connect == nil
                    )
                }
            }
        }
    }

    @Test func `a rule is asked about each address, and refuses`() async throws {
        try await withBothFamilies { url async throws in
            try await withLoop { loop async throws in
                let asked = Locked<[String]>([])
                let refusing = TransferRequest(url: url).with {
                    $0.mayConnect = { address in
                        asked.withLock { $0.append("\(address.ip) \(address.port)") }
                        return false
                    }
                }
                let error = try await failure(of: refusing, on: loop)
                #expect(error.reason == .forbidden && error.phase == .connect)
                let port = url.split(separator: ":")[2].dropLast()
                #expect(asked.withLock { $0.sorted() } == ["127.0.0.1 \(port)", "::1 \(port)"])
                let picky = TransferRequest(url: url).with { $0.mayConnect = { $0.ip.family == .ipv4 } }
                let response = try await loop.perform(picky)
                #expect(response.statistics.remoteAddress == IPAddress("127.0.0.1"))
                // The connection is kept, which is no leave for others.
                #expect(try await failure(of: refusing, on: loop).reason == .forbidden)
                #expect(try await loop.perform(picky).statistics.remoteAddress == IPAddress("127.0.0.1"))
            }
        }
    }

    @Test func `a device is bound to, and a missing one named`() async throws {
        try await withBothFamilies { url async throws in
            try await withLoop { loop async throws in
                for _ in 0..<2 {
                    let bound = try await loop.perform(TransferRequest(url: url).with { $0.interface = "lo" })
                    #expect(bound.status == 204)
                }
                // A kept connection of another device is not taken either.
                let error = try await failure(
                    of: TransferRequest(url: url).with { $0.interface = "nhe-none" },
                    on: loop
                )
                #expect(error.reason == .unreachable && error.phase == .connect)
                #expect(error.message.contains("no device nhe-none"))
            }
        }
    }

    @Test func `the congestion control is chosen, and one the kernel lacks is told`() async throws {
        try await withBothFamilies { url async throws in
            try await withLoop(sockets: TransferSockets(congestionControl: "reno")) { loop async throws in
                let meter = TransferMeter()
                let known = TransferRequest(url: url).with { $0.meter = meter }
                #expect(try await loop.perform(known).status == 204)
                #expect(meter.congestionControl == "reno")
            }
            try await withLoop(sockets: TransferSockets(congestionControl: "nhe-none")) { loop async throws in
                let error = try await failure(of: TransferRequest(url: url), on: loop)
                #expect(error.reason == .invalidRequest && error.message.contains("nhe-none"))
            }
        }
    }

    @Test func `a proxy is used when asked for`() async throws {
        let proxy = try RawServer { connection in
            let head = connection.readHead()
            connection.send("HTTP/1.1 \(head.hasPrefix("GET http://host.invalid/ HTTP/1.1") ? 204 : 500) X\r\n\r\n")
        }
        defer { proxy.close() }
        try await withLoop { loop async throws in
            // The name is the proxy's to look up.
            let request = TransferRequest(url: "http://host.invalid/").with { $0.proxy = proxy.url }
            let response = try await loop.perform(request)
            #expect(response.status == 204)
        }
    }
}
