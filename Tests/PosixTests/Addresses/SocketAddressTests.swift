import Foundation
import Glibc
import Lab
import Posix
import Testing

struct SocketAddressTests {
    @Test(arguments: ["192.0.2.1:443", "[2001:db8::1]:65535"])
    func `an address and a port survive the way through a sockaddr`(text: String) throws {
        let address = try #require(SocketAddress(text))
        #expect(address.description == text)
        let copy = address.withPointer { SocketAddress(copying: $0, length: Int($1)) }
        #expect(copy == address)
    }

    @Test func `the device of a link-local address survives it too, and is written by its name`() throws {
        let address = try #require(try SocketAddress(literal: "fe80::1%lo", port: 53))
        #expect(address.scope == 1)
        #expect(address.withPointer { SocketAddress(copying: $0, length: Int($1)) } == address)
        #expect(address.description == "[fe80::1%lo]:53")
    }

    @Test(arguments: ["example.net:443", "192.0.2.1", "[fe80::1%lo]:53", "192.0.2.1:0", ""])
    func `names, devices and lacking ports are refused`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test func `an address that is cut short, and one of another family, are none`() throws {
        for text in ["192.0.2.1:443", "[2001:db8::1]:443"] {
            let address = try #require(SocketAddress(text))
            #expect(address.withPointer { SocketAddress(copying: $0, length: Int($1) - 1) } == nil)
        }
        var local = sockaddr_un()
        local.sun_family = sa_family_t(AF_UNIX)
        #expect(withUnsafePointer(to: local) { SocketAddress(copying: $0, length: 110) } == nil)
        #expect(SocketAddress(copying: nil) == nil)
    }

    @Test func `a host whose IPv6 is switched off has no source for an IPv6 address`() throws {
        let host = try Namespace("link set lo up")
        let (before, after, ipv4) = try host.inside {
            let address = try #require(SocketAddress("[::1]:9"))
            let before = address.hasSource
            for devices in ["all", "default"] {
                try Data("1".utf8).write(to: URL(fileURLWithPath: "/proc/sys/net/ipv6/conf/\(devices)/disable_ipv6"))
            }
            return (before, address.hasSource, try #require(SocketAddress("127.0.0.1:9")).hasSource)
        }
        #expect(before && !after && ipv4)
    }

    @Test func `addresses of this host are recognized, others are not`() throws {
        let host = try Namespace(
            """
            link set lo up
            link add eth7 type veth peer name eth8
            link set eth7 up
            link set eth8 up
            address add 198.18.7.1/24 dev eth7
            address add 198.18.7.9/24 dev eth7
            address add 2001:2:7::1/64 dev eth7 nodad
            address add 2001:2:7::9/64 dev eth7 nodad
            """
        )
        let own = ["198.18.7.1", "198.18.7.9", "2001:2:7::1", "2001:2:7::9"]
        let others = ["198.18.7.2", "2001:2:7::2", "192.0.2.1"]
        let found = try host.inside {
            try (["127.0.0.2", "::1"] + own + others).filter { try #require(IPAddress($0)).isOfThisHost }
        }
        #expect(found == ["127.0.0.2", "::1"] + own)
        // Of those that count as the internet.
        let elsewhere = try host.inside {
            let all = GlobalAddresses(excluding: [])
            return try (own + ["::ffff:198.18.7.9", "64:ff9b::198.18.7.1"] + others).filter {
                try all.containsElsewhere(#require(IPAddress($0)))
            }
        }
        #expect(elsewhere == others)
    }

    @Test func `an IPv4 peer of a dual socket is written as IPv4`() throws {
        #expect(SocketAddress(try #require(IPAddress("::ffff:192.0.2.1"))).host == "192.0.2.1")
    }

    @Test func `returns what a socket is bound to`() throws {
        let socket = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0)
        let address = SocketAddress(try #require(IPAddress("127.0.0.1")))
        let isBound = address.withPointer { bind(socket.number, $0, $1) == 0 }
        #expect(isBound)
        let bound = try #require(try SocketAddress.bound(to: socket.number))
        #expect(bound.ip == address.ip && bound.port != 0)
        #expect(throws: SystemError.self) { try SocketAddress.bound(to: -1) }
    }

    @Test func `a text with a NUL is no address`() {
        #expect(IPAddress("192.0.2.1\0x") == nil)
        #expect(IPAddress("::1\0") == nil)
    }
}
