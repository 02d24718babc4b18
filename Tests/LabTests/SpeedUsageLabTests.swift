import Foundation
import Lab
import SpeedTestCore
import Statistics
import Testing

/// What tests book, beside what the device of the host has really carried.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SpeedUsageLabTests {
    /// The dialect `speedlab` with a fault of the first word of the path: it cuts or resets downloads after 50 kB, less than any request asks for, or refuses
    /// the load.
    private static let server = """
        import os, socket, struct, threading
        noise = os.urandom(1 << 14)
        refusals = {"413": "413 Content Too Large", "415": "415 Unsupported Media Type"}
        def serve(peer):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
            def answer(status, body, kind="application/octet-stream"):
                head = "HTTP/1.1 %s\\r\\nContent-Type: %s\\r\\nContent-Length: %d\\r\\n\\r\\n" % (status, kind, len(body))
                peer.sendall(head.encode() + body)
            rest = b""
            while True:
                while b"\\r\\n\\r\\n" not in rest:
                    piece = peer.recv(65536)
                    if not piece: return
                    rest += piece
                head, rest = rest.split(b"\\r\\n\\r\\n", 1)
                line, *lines = head.decode().split("\\r\\n")
                _, fault, path = line.split(" ")[1].split("/", 2)
                fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
                left = int(fields.get("content-length", 0)) - len(rest)
                rest = b""
                while left > 0:
                    piece = peer.recv(min(left, 262144))
                    if not piece: return
                    left -= len(piece)
                    if fault in refusals and path == "upload": break
                if path == "ping": answer("200 OK", b'{"status":"pong"}', "application/json")
                elif path.startswith("counters/"): answer("404 Not Found", b"")
                elif fault in refusals:
                    answer(refusals[fault], b"no")
                    return
                elif fault == "page": answer("200 OK", b"<html></html>", "text/html")
                elif path.startswith("download"):
                    size = left = int(path.split("=")[1])
                    peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % size)
                    while left > 0:
                        peer.sendall(noise[:left])
                        left -= len(noise)
                        if fault != "well" and size - left > 50_000:
                            if fault == "reset": peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                            return
                else: answer("200 OK", b"{}", "application/json")
        def guard(peer):
            with peer:
                try: serve(peer)
                except (OSError, ValueError): pass
        listener = socket.create_server(("198.18.0.1", 8000), backlog=64)
        print("ready", flush=True)
        while True:
            threading.Thread(target=guard, args=(listener.accept()[0],), daemon=True).start()
        """

    private struct Line {
        private let host: Namespace
        private let cable: ShapedCable

        init(rate: Int, queue: Int) throws {
            cable = try ShapedCable(rate: rate, queue: queue, server: SpeedUsageLabTests.server)
            host = cable.host
        }

        /// Runs a test at the line's end, with a window of a second at most.
        func test(_ fault: String, _ directions: [Direction], share: UInt64) async throws -> SpeedTestReport {
            var target = SpeedTestServer(name: "lab", dialect: .speedlab, url: "http://198.18.0.1:8000/\(fault)")
            target.congestionControl = "cubic"
            let engine = try host.inside { [target] in
                var options = SpeedTestOptions()
                options.idleSamples = 2
                options.window = .milliseconds(500) ... .seconds(1)
                options.directions = directions
                for direction in directions { options.byteLimit[direction] = share }
                return SpeedTestEngine(server: target, options: options, userAgent: "lab")
            }
            return await engine.run { _ in }
        }

        /// Bytes of IP packets that the device has carried.
        func carried() throws -> (down: UInt64, up: UInt64) {
            struct Device: Decodable {
                struct Statistics: Decodable {
                    struct Counters: Decodable { var bytes, packets: UInt64 }
                    var rx, tx: Counters
                }
                var stats64: Statistics
            }
            let devices = try host.json([Device].self, "-s", "link", "show", "dev", "eth0")
            let counters = try #require(devices.first).stats64
            func bytes(_ way: Device.Statistics.Counters) -> UInt64 { way.bytes - 14 * way.packets }
            return (bytes(counters.rx), bytes(counters.tx))
        }
    }

    /// With NHE_USAGE_TESTS=20 as many as that; each second one fails.
    private static let count = ProcessInfo.processInfo.environment["NHE_USAGE_TESTS"].flatMap { Int($0) } ?? 4

    @Test func `tests with failures book within a hundredth what the device has carried`() async throws {
        let line = try Line(rate: 40_000_000, queue: 50)
        let faults = ["well", "cut", "well", "413", "well", "reset", "well", "page", "well", "415"]
        let before = try line.carried()
        var booked = (down: UInt64(0), up: UInt64(0))
        for index in 0..<Self.count {
            let fault = faults[index % faults.count]
            let directions: [Direction] = fault == "413" || fault == "415" ? [.upload] : [.download, .upload]
            let report = try await line.test(fault, directions, share: 4_000_000)
            #expect((report.failure == nil) == (fault == "well"), "\(fault): \(report)")
            booked.down += report.traffic.received
            booked.up += report.traffic.transmitted
            #expect(report.traffic.total < UInt64(directions.count) * 4_000_000, "\(fault): \(report.traffic)")
        }
        let after = try line.carried()
        let carried = (down: after.down - before.down, up: after.up - before.up)
        print("booked \(booked), carried \(carried)")
        #expect(abs(Double(booked.down) / Double(carried.down) - 1) < 0.01, "booked \(booked), carried \(carried)")
        #expect(abs(Double(booked.up) / Double(carried.up) - 1) < 0.01, "booked \(booked), carried \(carried)")
    }

    @Test func `what a shaper on the own host drops is not booked`() async throws {
        let line = try Line(rate: 20_000_000, queue: 1)
        let before = try line.carried()
        let report = try await line.test("well", [.upload], share: 5_000_000)
        let after = try line.carried()
        let carried = after.up - before.up
        print("booked \(report.traffic), carried \(carried)")
        #expect(report.upload != nil, "\(report)")
        #expect(abs(Double(report.traffic.transmitted) / Double(carried) - 1) < 0.01, "\(report.traffic), \(carried)")
        #expect(report.traffic.total < 5_000_000, "\(report.traffic)")
    }
}
