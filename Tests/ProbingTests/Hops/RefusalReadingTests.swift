import Posix
import Testing

@testable import Probing

/// What the kernel's control messages say about an ICMP error.
struct RefusalReadingTests {
    private func message(level: Int32, type: Int32, _ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: UInt(16 + data.count)) { bytes += $0 }
        withUnsafeBytes(of: level) { bytes += $0 }
        withUnsafeBytes(of: type) { bytes += $0 }
        bytes += data
        while bytes.count % 8 != 0 { bytes.append(0) }
        return bytes
    }

    private func hops(_ left: UInt8, ipv6: Bool = false) -> [UInt8] {
        message(level: ipv6 ? 41 : 0, type: ipv6 ? 52 : 2, [left, 0, 0, 0])
    }

    /// `struct sock_extended_err` and the sender's address.
    private func record(_ sender: String, type: UInt8, code: UInt8, origin: UInt8? = nil) throws -> [UInt8] {
        let address = try #require(IPAddress(sender))
        let isIPv6 = address.family == .ipv6
        var data: [UInt8] = [113, 0, 0, 0, origin ?? (isIPv6 ? 3 : 2), type, code, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        data +=
            isIPv6
            ? [10, 0, 0, 0, 0, 0, 0, 0] + address.bytes + [0, 0, 0, 0]
            : [2, 0, 0, 0] + address.bytes + [UInt8](repeating: 0, count: 8)
        return message(level: isIPv6 ? 41 : 0, type: isIPv6 ? 25 : 11, data)
    }

    private func read(_ bytes: [UInt8], to destination: String) throws -> Refusal? {
        let place = SocketAddress(try #require(IPAddress(destination)))
        return RouterError(ControlMessages(parsing: bytes.span.bytes), destination: place).map { Refusal($0) }
    }

    @Test(arguments: [
        ("192.0.2.1", "203.0.113.9", UInt8(3), UInt8(0), UInt8(64), Refusal.Meaning?.some(.noRoute), 1),
        ("100.64.0.1", "203.0.113.9", 3, 1, 63, .noRoute, 2),
        ("192.0.2.1", "203.0.113.9", 11, 0, 255, .timeExceeded, 1),
        ("192.0.2.1", "203.0.113.9", 3, 13, 254, .rejected, 2), ("203.0.113.9", "203.0.113.9", 3, 3, 126, .noPort, 3),
        ("192.0.2.1", "203.0.113.9", 3, 3, 64, .rejected, 1), ("2001:db8::1", "2001:db8:9::9", 1, 0, 64, .noRoute, 1),
        ("2001:db8::1", "2001:db8:9::9", 1, 1, 61, .rejected, 4), ("192.0.2.1", "203.0.113.9", 12, 0, 60, nil, 5),
    ])
    func `An error has its sender, its meaning and its distance`(
        sender: String,
        destination: String,
        type: UInt8,
        code: UInt8,
        left: UInt8,
        meaning: Refusal.Meaning?,
        distance: Int
    ) throws {
        let isIPv6 = sender.contains(":")
        let bytes = hops(left, ipv6: isIPv6) + (try record(sender, type: type, code: code))
        let refusal = try #require(try read(bytes, to: destination))
        #expect("\(refusal.sender)" == sender && "\(refusal.destination)" == destination)
        #expect(refusal.type == type && refusal.code == code)
        #expect(refusal.meaning == meaning)
        #expect(refusal.distance == distance)
    }

    private static let meanings: [(sender: String, type: UInt8, code: UInt8, meaning: Refusal.Meaning)] = [
        ("192.0.2.1", 3, 9, .rejected), ("192.0.2.1", 3, 10, .rejected), ("192.0.2.1", 3, 4, .tooBig),
        ("2001:db8::1", 1, 3, .noRoute), ("2001:db8::1", 1, 4, .rejected), ("2001:db8:9::9", 1, 4, .noPort),
        ("2001:db8::1", 1, 5, .rejected), ("2001:db8::1", 1, 6, .rejected), ("2001:db8::1", 2, 0, .tooBig),
        ("2001:db8::1", 3, 0, .timeExceeded),
    ]

    @Test func `What firewalls, narrow links and routers of IPv6 say has its meaning, too`() throws {
        for (sender, type, code, meaning) in Self.meanings {
            let refusal = Refusal(
                sender: try #require(IPAddress(sender)),
                destination: try #require(IPAddress(sender.contains(":") ? "2001:db8:9::9" : "203.0.113.9")),
                type: type,
                code: code,
                distance: nil,
                at: .now
            )
            #expect(refusal.meaning == meaning, "\(sender): \(type)/\(code)")
        }
    }

    @Test func `A distance that no way has is unknown, and so is one without the hops that were left`() throws {
        for left: UInt8 in [0, 1, 24, 65, 88, 129, 200, 215] {
            #expect(Refusal.distance(hopsLeft: left) == nil, "\(left)")
        }
        #expect(Refusal.distance(hopsLeft: 25) == 40 && Refusal.distance(hopsLeft: 216) == 40)
        #expect(try read(record("192.0.2.1", type: 3, code: 0), to: "203.0.113.9")?.distance == nil)
    }

    @Test func `An error of this host itself is no hop away`() throws {
        let information = message(level: 0, type: 8, [1, 0, 0, 0, 192, 0, 2, 7, 192, 0, 2, 7])
        let own = information + hops(64) + (try record("192.0.2.7", type: 3, code: 1))
        #expect(try read(own, to: "203.0.113.9")?.distance == 0)
        let router = information + hops(64) + (try record("192.0.2.1", type: 3, code: 1))
        #expect(try read(router, to: "203.0.113.9")?.distance == 1)
        let address = try #require(IPAddress("2001:db8::7"))
        let information6 = message(level: 41, type: 50, address.bytes + [1, 0, 0, 0])
        let own6 = information6 + hops(64, ipv6: true) + (try record("2001:db8::7", type: 1, code: 3))
        #expect(try read(own6, to: "2001:db8:9::9")?.distance == 0)
    }

    @Test func `What is no ICMP error, or has no sender, is no refusal`() throws {
        #expect(try read(record("192.0.2.1", type: 3, code: 0, origin: 1), to: "203.0.113.9") == nil, "of the kernel")
        #expect(try read(record("192.0.2.1", type: 3, code: 0, origin: 4), to: "203.0.113.9") == nil, "a time stamp")
        #expect(try read(record("0.0.0.0", type: 3, code: 0), to: "203.0.113.9") == nil)
        #expect(try read(hops(64), to: "203.0.113.9") == nil)
        let cut = message(level: 0, type: 11, [113, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0])
        #expect(try read(cut, to: "203.0.113.9") == nil)
    }

    @Test func `The log keeps sixteen of each family, each kind once`() throws {
        let log = RefusalLog()
        log.note(nil)
        for number in 0..<40 {
            let sender = number % 2 == 0 ? "192.0.2.\(number % 38)" : "2001:db8::\(number % 6)"
            let isIPv6 = sender.contains(":")
            let bytes = try record(sender, type: isIPv6 ? 1 : 3, code: 0)
            log.note(try read(bytes, to: isIPv6 ? "2001:db8:9::9" : "203.0.113.9"))
        }
        #expect(log.newest(.ipv4).count == 16)
        #expect(log.newest(.ipv4).last.map { "\($0.sender)" } == "192.0.2.0", "the newest")
        #expect(Set(log.newest(.ipv6).map { "\($0.sender)" }) == ["2001:db8::1", "2001:db8::3", "2001:db8::5"])
        #expect(log.newest(.ipv6).map(\.at) == log.newest(.ipv6).map(\.at).sorted())
    }
}
