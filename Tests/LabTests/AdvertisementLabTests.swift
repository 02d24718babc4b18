import CLab
import Glibc
import Lab
import Probing
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

    @Test func `hears of a portal, of another one, and of none when the cable is pulled`() async throws {
        let (namespace, far) = (try Namespace(), try Namespace())
        try namespace.ip("link add eth0 index 10 type veth peer name far0 netns \(far.name)")
        // A link-local source that needs no duplicate detection.
        try far.ip("link set far0 addrgenmode none\naddress add fe80::1/64 dev far0 nodad\nlink set far0 up")
        try namespace.ip("link set eth0 up")
        let router = try Script(in: far, Self.router)

        let path = "/run/netns/\(namespace.name)"
        let (news, told) = AsyncStream<CaptivePortalAdvertisement>.makeStream()
        let (ready, entered) = AsyncStream<Void>.makeStream()
        let watch = AdvertisementWatch(
            prepareThread: {
                if nhe_enter_network_namespace(path) != 0 { Issue.record("cannot enter \(path)") }
                // Unprivileged, as in production.
                if nhe_become_nobody() != 0 { Issue.record("cannot become nobody") }
                entered.yield()
            },
            onChange: { told.yield($0) }
        )
        let task = Task { await watch.run() }
        for await _ in ready { break }
        var next = news.makeAsyncIterator()

        // The cable's carrier and the watch's socket take a moment: a router repeats itself.
        let repeating = Task {
            while !Task.isCancelled {
                try router.tell("https://portal.example.org/api")
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        #expect(
            await next.next() == CaptivePortalAdvertisement(interfaceIndex: 10, uri: "https://portal.example.org/api")
        )
        repeating.cancel()
        try? await repeating.value
        #expect(watch.uris == [10: "https://portal.example.org/api"])
        #expect(watch.failure == nil)

        try router.tell("")
        try router.tell("http://insecure.example.org/api")
        try router.tell("https://other.example.org/api")
        #expect(
            await next.next() == CaptivePortalAdvertisement(interfaceIndex: 10, uri: "https://other.example.org/api")
        )
        try router.tell("urn:ietf:params:capport:unrestricted")
        #expect(await next.next() == CaptivePortalAdvertisement(interfaceIndex: 10, uri: nil))

        try router.tell("https://portal.example.org/api")
        #expect(await next.next()?.uri == "https://portal.example.org/api")
        try far.ip("link set far0 down")
        #expect(await next.next() == CaptivePortalAdvertisement(interfaceIndex: 10, uri: nil))
        #expect(watch.uris.isEmpty)

        task.cancel()
        await task.value
    }
}
