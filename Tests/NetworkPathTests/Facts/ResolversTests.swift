import Lab
import Testing

@testable import NetworkPath

struct ResolverLinesTests {
    @Test(arguments: [
        ("nameserver 192.0.2.1\nnameserver 2001:db8::1\n", ["192.0.2.1", "2001:db8::1"]),
        ("nameserver\t192.0.2.1  # ours\r\n", ["192.0.2.1"]), ("nameserver 192.0.2.1", ["192.0.2.1"]),
        ("nameserver fe80::1%eth0\n", ["fe80::1%eth0"]), ("  nameserver 192.0.2.1\n", ["192.0.2.1"]),
        ("# nameserver 192.0.2.1\n;nameserver 192.0.2.2\n#nameserver 192.0.2.3", []),
        ("search example.com\noptions edns0\nnameservers 192.0.2.1\n", []),
        (
            "nameserver\nnameserver example.com\nnameserver 192.0.2\nnameserver 192.0.2.1%eth0\nnameserver fe80::1%\n",
            []
        ),
        ("nameserver \u{0}\n\u{0}\nnameserver 192.0.2.1", ["192.0.2.1"]), ("", []), ("\n\n", []),
    ])
    func `nameserver lines are taken, everything else is skipped`(text: String, servers: [String]) {
        #expect(Resolvers.nameservers(in: Array(text.utf8).span) == servers)
    }

    @Test func `bytes that are no text are skipped`() {
        let bytes: [UInt8] = Array("nameserver ".utf8) + [0xff, 0xfe, 0x0a] + Array("nameserver 192.0.2.1".utf8)
        #expect(Resolvers.nameservers(in: bytes.span) == ["192.0.2.1"])
    }

    @Test func `a long line and too many servers are cut off`() {
        let long = "nameserver 192.0.2.200" + String(repeating: " ", count: 300) + "\n"
        let many = (0..<40).map { "nameserver 192.0.2.\($0)\n" }.joined()
        let servers = Resolvers.nameservers(in: Array((long + many).utf8).span)
        #expect(servers == (0..<16).map { "192.0.2.\($0)" })
    }
}

struct ResolversTests {
    private let root: TemporaryFolder

    init() throws { root = try TemporaryFolder() }

    @Test func `servers are taken as they are`() throws {
        try root.write("resolv.conf", "nameserver 192.0.2.1\n")
        try root.write("upstream.conf", "nameserver 192.0.2.9\n")
        #expect(read() == ["192.0.2.1"])
    }

    @Test func `the servers behind it take the place of the stub`() throws {
        try root.write("resolv.conf", "nameserver 127.0.0.53\nnameserver 192.0.2.1\n")
        try root.write("upstream.conf", "nameserver 192.0.2.8\nnameserver 192.0.2.9\n")
        #expect(read() == ["192.0.2.8", "192.0.2.9", "192.0.2.1"])
    }

    @Test func `a stub with no server behind it is no resolver`() throws {
        try root.write("resolv.conf", "nameserver 127.0.0.53\n")
        try root.write("upstream.conf", "# No DNS servers known.\n")
        #expect(read() == [])
    }

    @Test func `the stub counts where the servers behind it cannot be read`() throws {
        try root.write("resolv.conf", "nameserver 127.0.0.53\n")
        #expect(read() == ["127.0.0.53"])
    }

    @Test func `without the file there are none`() {
        #expect(read() == [])
    }

    private func read() -> [String] {
        var configuration = PathConfiguration()
        configuration.resolvConf = "\(root.path)/resolv.conf"
        configuration.resolvedConf = "\(root.path)/upstream.conf"
        return Resolvers.nameservers(configuration)
    }
}
