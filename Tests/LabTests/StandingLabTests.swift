import HTTPTransfer
import Lab
import Posix
import Testing

@testable import Probing

/// What a passing error of a router does to a connection that stands.
@Suite(.timeLimit(.minutes(1)))
struct StandingLabTests {
    /// Answers one request byte by byte, each step after a line of its input.
    private static let server = """
        import os, socket, sys, time
        family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
        listener = socket.create_server((sys.argv[1], 80), family=family)
        print("ready", flush=True)
        sys.stdin.readline()
        connection = listener.accept()[0]
        # Each byte at once: none of those before is acknowledged.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.recv(4096)
        print("asked", flush=True)
        sys.stdin.readline()
        # Ahead of all other programs, so that no byte waits for a processor.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\n")
        for byte in b"abc":
            # Before the first one is sent again, after 200 ms: then a sender waits for its answer.
            time.sleep(.02)
            connection.sendall(bytes([byte]))
        print("answered", flush=True)
        sys.stdin.readline()
        """

    @Test(arguments: AddressFamily.allCases)
    func `An error of a router does not end a connection that stands`(family: AddressFamily) async throws {
        let line = try ProviderLine()
        let destination = try #require(ProviderLine.destinations[family])
        let server = try Script(in: line.server, Self.server, "\(destination)")
        let loop = try line.host.inside { try TransferLoop(name: "lab", userAgent: "lab") }
        defer { loop.stop() }
        var request = TransferRequest(url: "http://\(SocketAddress(destination, port: 80))/")
        request.timeout = .seconds(20)
        request.sink = .collect(limit: 100)
        async let response = loop.perform(request)
        try server.tell("accept")
        // From here on each acknowledgement of this host is refused.
        try line.filter(
            line.router,
            """
            table inet rules {
                counter refused {
                }
                chain forth {
                    type filter hook forward priority 0;
                    iifname "near" tcp dport 80 counter name refused reject with icmpx type host-unreachable
                }
            }
            """
        )
        try server.tell("answer")
        #expect(try await String(decoding: response.body, as: UTF8.self) == "abc")
        let counter = try run([
            "ip", "netns", "exec", line.router.name, "nft", "list", "counter", "inet", "rules", "refused",
        ])
        #expect(!counter.contains("packets 0 "), "\(counter)")
    }
}
