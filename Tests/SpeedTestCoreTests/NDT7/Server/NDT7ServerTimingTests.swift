import Coordination
import Foundation
import Lab
import SpeedTestCore
import Testing

/// Our server's part after the handshake, against clients that do what they should not: each ends in its time.
@Suite(.timeLimit(.minutes(1)))
struct NDT7ServerTimingTests {
    /// What a test has seen of the server.
    private struct Outcome {
        var events: [WebSocketEvent] = []
        var load = 0
        var error: WebSocketError?
        var elapsed = Duration.zero
        let stolen = StolenTime()

        var closeCode: WebSocketCloseCode? {
            events.lazy.compactMap { if case .close(let code, _) = $0 { code } else { nil } }.first
        }

        var texts: Int {
            events.count { if case .text = $0 { true } else { false } }
        }
    }

    /// Runs the server on one end of a connection; `client` gets the other, which is then read to its end.
    private static func run(
        _ direction: Direction,
        limits: NDT7Limits,
        received: [UInt8] = [],
        onBytes: @escaping @Sendable (Direction, Int) -> Bool = { _, _ in true },
        client: @escaping @Sendable (Int32) -> Void
    ) async -> Outcome {
        let outcome = Locked(Outcome())
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let (ours, theirs) = (ends[0], ends[1])
        async let served: Void = onThread {
            let start = ContinuousClock.now
            NDT7Server.serve(
                socket: ours,
                received: received,
                direction: direction,
                limits: limits,
                onBytes: onBytes
            )
            close(ours)
            outcome.withLock { $0.elapsed = start.duration(to: .now) }
        }
        await onThread {
            client(theirs)
            var reader = WebSocketReader(from: .server)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(theirs, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                outcome.withLock { outcome in
                    do throws(WebSocketError) {
                        try reader.read(buffer.span.bytes.extracting(0..<count)) { event in
                            if case .binary(let count) = event {
                                outcome.load += count
                            } else {
                                outcome.events.append(event)
                            }
                        }
                    } catch {
                        outcome.error = error
                    }
                }
            }
            close(theirs)
        }
        await served
        let result = outcome.withLock { $0 }
        #expect(result.error == nil)
        return result
    }

    private static func limits(_ milliseconds: Int) -> NDT7Limits {
        var limits = NDT7Limits()
        limits.duration = .milliseconds(milliseconds)
        limits.grace = .milliseconds(300)
        return limits
    }

    private static func send(_ socket: Int32, _ bytes: [UInt8]) {
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    @Test func `a download lasts for its whole time, sends measurements, and ends with a Close`() async {
        let outcome = await Self.run(.download, limits: Self.limits(700)) { _ in }
        #expect(outcome.closeCode == .normal)
        #expect(outcome.load > 100_000)
        #expect((1...40).contains(outcome.texts))
        #expect(
            outcome.elapsed >= .milliseconds(700) && outcome.elapsed < .milliseconds(1500),
            "\(outcome.elapsed); \(outcome.stolen)"
        )
    }

    @Test func `a client that does not read is dropped at the end`() async {
        let outcome = await Self.run(.download, limits: Self.limits(300)) { socket in
            // Until the server has given up: its end of the connection is closed then.
            var polled = pollfd(fd: socket, events: 0x2000, revents: 0)
            poll(&polled, 1, 5000)
        }
        #expect(
            outcome.elapsed >= .milliseconds(600) && outcome.elapsed < .seconds(2),
            "\(outcome.elapsed); \(outcome.stolen)"
        )
    }

    @Test(arguments: Direction.allCases)
    func `a client that moves no byte is closed`(direction: Direction) async {
        var limits = Self.limits(5000)
        limits.silence = .milliseconds(300)
        let outcome = await Self.run(direction, limits: limits) { socket in
            guard direction == .download else { return }
            var polled = pollfd(fd: socket, events: 0x2000, revents: 0)
            poll(&polled, 1, 5000)
        }
        if direction == .upload { #expect(outcome.closeCode == .goingAway) }
        #expect(outcome.elapsed < .seconds(3), "\(outcome.elapsed); \(outcome.stolen)")
    }

    @Test func `load in a download, and frames without a mask, are refused`() async {
        let mask: UInt32 = 0x0102_0304
        let load = WebSocketFrameHeader(.binary, payloadLength: 3, mask: mask).encoded + [1, 2, 3]
        let wrong = await Self.run(.download, limits: Self.limits(5000)) { Self.send($0, load) }
        #expect(wrong.closeCode == .unsupportedData)
        let bare = await Self.run(.upload, limits: Self.limits(5000)) { Self.send($0, [0x82, 0x01, 7]) }
        #expect(bare.closeCode == .protocolError)
        let endless = WebSocketFrameHeader(.binary, payloadLength: 1 << 25, mask: mask).encoded
        let long = await Self.run(.upload, limits: Self.limits(5000)) { Self.send($0, endless) }
        #expect(long.closeCode == .messageTooBig)
        for outcome in [wrong, bare, long] { #expect(outcome.elapsed < .seconds(2), "\(outcome.stolen)") }
    }

    @Test func `pings are answered, a Close with another, also where they came with the request`() async {
        let bytes = WebSocketFrame.ping([9], mask: 7)
        let outcome = await Self.run(.upload, limits: Self.limits(5000), received: bytes) { socket in
            Self.send(socket, WebSocketFrame.close(.normal, mask: 7))
        }
        #expect(outcome.closeCode == .normal)
        #expect(outcome.events.contains(.pong([9])) || outcome.events.count == 1)
        #expect(outcome.elapsed < .seconds(1), "\(outcome.elapsed); \(outcome.stolen)")
    }

    @Test func `the byte counter may end it`() async {
        let counted = Locked(0)
        let outcome = await Self.run(.download, limits: Self.limits(5000)) { _, count in
            counted.withLock { total in
                total += count
                return total < 1_000_000
            }
        } client: { _ in
        }
        #expect(outcome.closeCode == .goingAway)
        #expect(outcome.load < 4_000_000)
        #expect(counted.withLock { $0 } >= outcome.load)
        var limits = Self.limits(5000)
        limits.bytes = 300_000
        let limited = await Self.run(.download, limits: limits) { _ in }
        #expect(limited.closeCode == .normal)
        #expect(limited.load <= 300_000 && limited.load > 200_000)
    }

    @Test func `a client that disconnects ends its test at once`() async {
        let outcome = await Self.run(.upload, limits: Self.limits(5000)) { shutdown($0, Int32(SHUT_RDWR)) }
        #expect(outcome.elapsed < .seconds(1), "\(outcome.elapsed); \(outcome.stolen)")
    }
}

/// Runs what waits on a thread of its own, away from the pool that other tests need.
private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            body()
            continuation.resume()
        }
    }
}
