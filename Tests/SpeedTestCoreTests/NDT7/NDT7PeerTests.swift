import Foundation
import HTTPTransfer
import Lab
import SpeedTestCore
import Statistics
import Testing

/// Against a third-party WebSocket library: Debian's python3-websockets.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct NDT7PeerTests {
    /// Speaks the server's side of ndt7 for as long as it lives, with a measurement each quarter of a second.
    private static let server = """
        import asyncio, json, os, ssl, sys, time, websockets

        async def serve(socket, path):
            start, load, received = time.monotonic(), os.urandom(1 << 16), 0

            def measurement():
                elapsed = int((time.monotonic() - start) * 1e6)
                return json.dumps({"AppInfo": {"ElapsedTime": elapsed, "NumBytes": received},
                                   "TCPInfo": {"ElapsedTime": elapsed, "BytesReceived": received, "RTT": 1234}})

            async def measure():
                while True:
                    await socket.send(measurement())
                    await asyncio.sleep(0.1)

            measuring = asyncio.ensure_future(measure())
            try:
                while time.monotonic() - start < 2:
                    if "download" in path:
                        await socket.send(load)
                        await asyncio.sleep(0)
                    else:
                        message = await asyncio.wait_for(socket.recv(), 2)
                        if isinstance(message, bytes):
                            received += len(message)
                await socket.ping()
                await socket.close(1000, "Done sending")
            except (websockets.ConnectionClosed, asyncio.TimeoutError):
                pass
            finally:
                measuring.cancel()
            # 1006: without a Close.
            await socket.wait_closed()
            print(path.split("?")[0], socket.close_code, flush=True)

        async def main():
            tls = None
            if len(sys.argv) > 1:
                tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                tls.load_cert_chain(sys.argv[1], sys.argv[2])
            async with websockets.serve(serve, "127.0.0.1", 0, subprotocols=["net.measurementlab.ndt.v7"],
                                        max_size=1 << 24, ping_interval=None, ssl=tls) as server:
                print(server.sockets[0].getsockname()[1], flush=True)
                await asyncio.Future()

        asyncio.run(main())
        """

    /// Runs both tests as a client, and prints what it has seen: messages of load, texts, and the code of the Close.
    private static let client = """
        import asyncio, json, os, sys, time, websockets

        async def run(direction):
            load, texts, last = 0, 0, None
            async with websockets.connect(sys.argv[1] + "/ndt/v7/" + direction, max_size=1 << 24, ping_interval=None,
                                          subprotocols=["net.measurementlab.ndt.v7"]) as socket:
                assert socket.subprotocol == "net.measurementlab.ndt.v7"
                # Awaited after the messages: the library reads nothing further, no Pong either, once 32 of them wait for recv.
                pong = await socket.ping()

                async def send():
                    piece = os.urandom(1 << 16)
                    while True:
                        await socket.send(piece)
                        # Else it never comes to read.
                        await asyncio.sleep(0)

                sending = asyncio.ensure_future(send()) if direction == "upload" else None
                try:
                    while True:
                        message = await socket.recv()
                        if isinstance(message, bytes):
                            load += len(message)
                        else:
                            texts, last = texts + 1, json.loads(message)
                except websockets.ConnectionClosed:
                    pass
                if sending:
                    sending.cancel()
                await pong
                print(direction, socket.close_code, load, texts, last["TCPInfo"]["BytesReceived"],
                      last["ConnectionInfo"]["Client"].startswith("127.0.0.1:"), flush=True)

        async def main():
            for direction in ["download", "upload"]:
                await run(direction)

        asyncio.run(main())
        """

    @Test func `over TLS too, with a certificate that must be trusted`() async throws {
        let identity = try TestAuthority.shared.get().selfSigned(for: "IP:127.0.0.1")
        let process = try Program(
            ["/usr/bin/python3", "-c", Self.server, identity.certificate, identity.key]
        )
        let port = try #require(process.readLine())
        var server = SpeedTestServer(name: "tls", dialect: .ndt7, url: "wss://127.0.0.1:\(port)")
        var options = SpeedTestOptions()
        options.window = .milliseconds(300) ... .milliseconds(600)
        for (caFile, isKnown) in [(identity.certificate, true), (nil, false)] {
            server.tls.caFile = caFile
            for direction in Direction.allCases {
                let measurement = try NDT7Measurement(
                    server: server,
                    options: options,
                    account: TrafficAccount(),
                    userAgent: "test",
                    timing: .quick
                )
                if isKnown {
                    #expect(try await measurement.measure(direction).rate.bytesPerSecond > 100_000)
                    #expect(try await measurement.idleLatency { _ in }.latency > .zero)
                } else {
                    let failure = await #expect(throws: SpeedTestFailure.self) {
                        try await measurement.measure(direction)
                    }
                    #expect(failure?.reason == .unreachable)
                }
            }
        }
        process.end()
    }

    @Test(arguments: Direction.allCases)
    func `our client ends a test early with a Close and waits for the answer`(direction: Direction) async throws {
        let process = try Program(["/usr/bin/python3", "-c", Self.server])
        let port = try #require(process.readLine())
        // Settled long before the two seconds of the peer, which then is in the middle of its load.
        let measurement = try NDT7Measurement.make("ws://127.0.0.1:\(port)") {
            $0.window = .milliseconds(200) ... .milliseconds(400)
        }
        _ = try await measurement.measure(direction)
        let line = await blocking { process.readLine() }
        #expect(line == "/ndt/v7/\(direction.rawValue) 1000")
        process.end()
    }

    @Test func `our server serves both directions to it`() async throws {
        var limits = NDT7Limits()
        limits.duration = .seconds(1)
        let server = try NDT7TestServer(limits: limits)
        let process = try Program(["/usr/bin/python3", "-c", Self.client, String(server.url.dropLast(10))])
        let lines = await blocking { (0..<2).map { _ in process.readLine() ?? "" } }
        server.close()
        for (line, direction) in zip(lines, ["download", "upload"]) {
            let words = line.split(separator: " ")
            #expect(words.prefix(2) == [Substring(direction), "1000"])
            try #require(words.count == 6)
            let (load, texts, received) = (Int(words[2]) ?? -1, Int(words[3]) ?? -1, Int(words[4]) ?? -1)
            #expect(direction == "download" ? load > 1_000_000 : load == 0 && received > 1_000_000)
            #expect((1...40).contains(texts))
            #expect(words[5] == "True")
        }
        #expect(server.state.ended == 2)
    }
}

extension NDT7PeerTests {
    /// Its windows last as long as the peer, whose tests take two seconds.
    struct TimingTests {
        @Test func `our client measures both directions against it`() async throws {
            let stolen = StolenTime()
            let process = try Program(["/usr/bin/python3", "-c", NDT7PeerTests.server])
            let port = try #require(process.readLine())
            for direction in Direction.allCases {
                let measurement = try NDT7Measurement.make("ws://127.0.0.1:\(port)", timing: .quick) {
                    // Longer than the server's load: its own end is what ends it.
                    $0.window = .seconds(5) ... .seconds(10)
                }
                let report = try await measurement.measure(direction)
                #expect(report.rate.bytesPerSecond > 1_000_000)
                #expect(report.accounting == .receiver)
                #expect(report.window > .seconds(1) && report.window < .seconds(5), "\(report.window); \(stolen)")
                if direction == .download { #expect(report.loadedLatency == .microseconds(1234)) }
            }
            process.end()
        }
    }
}

/// Runs what waits on a thread of its own, away from the pool that other tests need.
private func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
