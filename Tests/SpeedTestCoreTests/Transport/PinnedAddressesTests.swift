import Posix
import Testing

@testable import SpeedTestCore

struct PinnedAddressesTests {
    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test(arguments: [
        ("1.1.1.1", "10.0.0.1", false), ("1.1.1.1", "127.0.0.1", false), ("1.1.1.1", "169.254.169.254", false),
        ("1.1.1.1", "::ffff:10.0.0.1", false), ("1.1.1.1", "fd00::1", false), ("1.1.1.1", "8.8.8.8", true),
        ("2606:4700::1111", "::1", false), ("2606:4700::1111", "8.8.8.8", true),
        // A server of this network may name others of it.
        ("10.0.0.1", "10.0.0.2", true), ("127.0.0.1", "8.8.8.8", true), ("198.18.0.1", "198.18.0.2", true),
        ("169.254.0.1", "169.254.0.2", true), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "169.254.169.254", true),
        // But none of this host, nor where a cloud's metadata is.
        ("10.0.0.1", "127.0.0.1", false), ("10.0.0.1", "::1", false), ("fd00::1", "::ffff:127.0.0.1", false),
        ("10.0.0.1", "0.0.0.0", false), ("10.0.0.1", "::", false), ("10.0.0.1", "169.254.169.254", false),
    ])
    func `A server on a public address may name no host on a private one, and none on another host one of this host`(
        server: String,
        other: String,
        isAllowed: Bool
    ) throws {
        var pinned = PinnedAddresses(server: "server.test")
        #expect(pinned.permits(try Self.address(server), for: "server.test"))
        pinned.pin("server.test", to: try Self.address(server))
        #expect(pinned.permits(try Self.address(other), for: "other.test") == isAllowed)
        let choice = NDT7Choice(locator: try Self.address(server))
        #expect(choice.permits(try Self.address(other)) == isAllowed)
    }

    @Test func `A host keeps its first address`() throws {
        var pinned = PinnedAddresses(server: "server.test")
        pinned.pin("a.test", to: try Self.address("192.0.2.1"))
        pinned.pin("a.test", to: try Self.address("192.0.2.2"))
        #expect(pinned.permits(try Self.address("192.0.2.1"), for: "a.test"))
        #expect(!pinned.permits(try Self.address("192.0.2.2"), for: "a.test"))
        // Without an answer of the server there is nothing to compare with.
        #expect(pinned.permits(try Self.address("10.0.0.1"), for: "b.test"))
        #expect(NDT7Choice().permits(try Self.address("10.0.0.1")))
    }
}
