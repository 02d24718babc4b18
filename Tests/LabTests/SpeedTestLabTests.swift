import Lab
import SpeedTestCore
import Statistics
import Testing

/// The engine against a line whose rate is known.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SpeedTestLabTests {
    /// The dialect `speedlab`, as small as can be.
    static let server = """
        import json, os, socket, sys, threading, time
        noise, counts, lock = os.urandom(1 << 18), {}, threading.Lock()
        def answer(peer, body):
            peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
        def add(name, size):
            with lock:
                count = counts.setdefault(name, {"bytes": 0, "firstByteAt": time.monotonic(), "lastByteAt": 0})
                count["bytes"] += size
                count["lastByteAt"] = time.monotonic()
        def serve(peer):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
            rest = b""
            while True:
                while b"\\r\\n\\r\\n" not in rest:
                    piece = peer.recv(65536)
                    if not piece: return
                    rest += piece
                head, rest = rest.split(b"\\r\\n\\r\\n", 1)
                line, *lines = head.decode().split("\\r\\n")
                path = line.split(" ")[1]
                fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
                if path == "/ping": answer(peer, b'{"status":"pong"}')
                elif path.startswith("/counters/"):
                    with lock: answer(peer, json.dumps(counts.get(path[10:], {"bytes": 0})).encode())
                elif path.startswith("/download"):
                    left = int(path.split("=")[1])
                    peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % left)
                    while left > 0:
                        peer.sendall(noise[:left])
                        left -= len(noise)
                else:
                    left = int(fields["content-length"]) - len(rest)
                    add(fields["x-test-id"], len(rest))
                    rest = b""
                    while left > 0:
                        piece = peer.recv(min(left, 262144))
                        if not piece: return
                        left -= len(piece)
                        add(fields["x-test-id"], len(piece))
                    answer(peer, b"{}")
        def guard(peer):
            with peer:
                try: serve(peer)
                except OSError: pass
        listener = socket.create_server(("198.18.0.1", 8000), backlog=64)
        print("ready", flush=True)
        while True:
            threading.Thread(target=guard, args=(listener.accept()[0],), daemon=True).start()
        """

    @Test(arguments: [2_000_000, 10_000_000, 50_000_000])
    func `the rate is within three in a hundred of the line's`(rate: Int) async throws {
        let line = try ShapedCable(rate: rate, queue: 100, server: Self.server)
        var target = SpeedTestServer(name: "lab", dialect: .speedlab, url: "http://198.18.0.1:8000")
        target.congestionControl = "cubic"
        let account = TrafficAccount()
        // Its threads, and with them its sockets, belong to the host's namespace.
        let engine = try line.host.inside { [target] in
            var options = SpeedTestOptions()
            options.idleSamples = 5
            return SpeedTestEngine(server: target, options: options, userAgent: "lab", account: account)
        }
        let report = await engine.run { _ in }
        #expect(report.failure == nil)
        // What TCP carries of full Ethernet frames.
        let truth = Double(rate) / 8 * 1448 / 1514
        for direction in Direction.allCases {
            let found = try #require(report[direction], "\(report)")
            let error = found.rate.bytesPerSecond / truth - 1
            // On a machine whose processors are busy the result is a lower bound, and marked as one.
            #expect(found.isLowerBound ? error < 0.03 : abs(error) < 0.03, "\(direction) \(found)")
            #expect(found.accounting == .receiver && found.limits.subtracting([.cpu]).isEmpty)
            #expect(found.loadedLatency ?? .zero > (report.ping?.latency ?? .zero))
        }
        #expect(report.upload?.congestionControl == "cubic")
        #expect(report.duration < .seconds(45))
    }
}
