import Lab
import NetworkHealth
import NetworkPath
import Testing

/// A router on a real cable that announces a captive portal (RFC 4861, RFC 8910).
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AdvertisementLabTests {
    /// Sends an advertisement with a prefix and, where it is told one, a portal's URI.
    private static let router = """
        import socket, struct, sys
        sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"far0")
        header = struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, 1800, 0, 0)
        address = socket.inet_pton(socket.AF_INET6, "2001:db8::")
        prefix = struct.pack("!BBBBIII16s", 3, 4, 64, 0xC0, 3600, 3600, 0, address)
        print("ready", flush=True)
        for line in sys.stdin:
            uri = line.strip().encode()
            units = (len(uri) + 9) // 8
            portal = struct.pack(f"!BB{units * 8 - 2}s", 37, units, uri) if uri else b""
            sock.sendto(header + prefix + portal, ("ff02::1", 0, 0, socket.if_nametoindex("far0")))
            print("sent", flush=True)
        """

    @Test func `the path names a portal, another one, and none when the cable is pulled`() async throws {
        let host = try await MonitoredHost()
        // A link-local source that needs no duplicate detection.
        try host.far.ip("address add fe80::1/64 dev far0 nodad")
        let router = try Script(in: host.far, Self.router)
        try await host.state { $0.isOnline == true && $0.path.captivePortal == nil }

        try router.tell("https://portal.example.org/api")
        try await host.state { $0.path.captivePortal == "https://portal.example.org/api" }

        // Neither an advertisement without a portal nor one without TLS changes what is known.
        try router.tell("")
        try router.tell("http://insecure.example.org/api")
        try router.tell("https://other.example.org/api")
        try await host.state { $0.path.captivePortal == "https://other.example.org/api" }
        try router.tell("urn:ietf:params:capport:unrestricted")
        try await host.state { $0.path.captivePortal == nil }

        try router.tell("https://portal.example.org/api")
        try await host.state { $0.path.captivePortal != nil }
        try host.far.ip("link set far0 down")
        let state = try await host.state { $0.path.captivePortal == nil }.state
        #expect(state.path.status != .satisfied)
    }
}
