import Statistics
import Testing

@testable import SpeedTestCore

struct NDT7TallyTests {
    private static func message(elapsed: Int64?, received: Int64?, rtt: Int64? = nil) -> NDT7Message {
        var message = NDT7Message()
        var tcp = NDT7Message.TCP()
        (tcp.elapsedTime, tcp.bytesReceived, tcp.rtt) = (elapsed, received, rtt)
        message.tcp = tcp
        return message
    }

    /// Of a thread that runs for a share of the time.
    private static func counters(_ busy: Double = 0, at time: Double = 0) -> HostCounters {
        HostCounters(time: .seconds(time), busy: .seconds(busy * time))
    }

    /// Ten seconds at 1 MB/s by our own count, with a message of the server's every half second.
    private static func tally(
        _ direction: Direction,
        busy: Double = 0.1,
        sending: Double? = nil,
        server: (Double) -> NDT7Message?
    ) -> NDT7Tally {
        var tally = NDT7Tally(direction, options: SpeedTestOptions(), timing: NDT7Timing())
        for step in 1...90 {
            let time = Double(step) / 10
            _ = tally.sample(
                bytes: UInt64(time * 1_000_000),
                at: .seconds(time),
                roundTrip: .milliseconds(50),
                sending: sending.map { .seconds($0 * time) },
                counters: counters(busy, at: time)
            )
            if step % 5 == 0, let message = server(time) {
                tally.add(message, at: .seconds(time), written: UInt64(time * 1_200_000), held: 0, beyondHole: 0)
            }
        }
        return tally
    }

    @Test func `an upload is what the server has received, by its own clock`() throws {
        let tally = Self.tally(.upload) { time in
            Self.message(elapsed: Int64(time * 2_000_000), received: Int64(time * 900_000))
        }
        let report = try tally.report(.full, host: "h", congestionControl: "cubic", counters: Self.counters())
        #expect(report.accounting == .receiver)
        #expect(abs(report.rate.bytesPerSecond - 450_000) < 1)
        #expect(report.loadedLatency == .milliseconds(50))
        #expect(report.congestionControl == "cubic")
        #expect(report.limits.isEmpty)
    }

    @Test(
        arguments: [
            ("silence", nil, nil), ("more than was sent", 1_000_000, 5_000_000), ("negative numbers", 1_000_000, -1),
            ("a clock that does not run", 0, 900_000), ("the largest numbers", .max, .max),
        ] as [(String, Int64?, Int64?)]
    )
    func `with implausible counts of the server the acknowledged bytes count`(
        name: String,
        elapsed: Int64?,
        received: Int64?
    ) throws {
        let tally = Self.tally(.upload) { time in
            Self.message(
                elapsed: elapsed.map { $0.multipliedReportingOverflow(by: Int64(time * 10)).partialValue },
                received: received.map { $0.multipliedReportingOverflow(by: Int64(time * 10)).partialValue / 10 }
            )
        }
        let report = try tally.report(.full, host: "h", congestionControl: nil, counters: Self.counters())
        #expect(report.accounting == .acknowledged)
        #expect(abs(report.rate.bytesPerSecond - 1_000_000) < 1000)
    }

    @Test func `of a server that sends messages without end a limited number is kept`() {
        var counts = NDT7ServerCounts()
        for step in 1...Int64(2 * NDT7ServerCounts.limit) {
            let message = Self.message(elapsed: step * 1000, received: step * 1000)
            counts.add(message, arrival: .milliseconds(step), written: 1 << 40, held: 0, beyondHole: 0)
        }
        let total = counts.total(since: .zero, length: .seconds(10))
        #expect(total?.bytes == UInt64(NDT7ServerCounts.limit - 1) * 1000)
        #expect(total?.duration == .milliseconds(NDT7ServerCounts.limit - 1))
    }

    @Test func `bytes of an upload beyond a lost segment count when they arrive`() throws {
        var tally = NDT7Tally(.upload, options: SpeedTestOptions(), timing: NDT7Timing())
        for step in 1...90 {
            let time = Double(step) / 10
            let bytes = UInt64(time * 1_000_000)
            _ = tally.sample(bytes: bytes, at: .seconds(time), roundTrip: nil, counters: Self.counters())
            // The hole is there when the window begins.
            let missing: UInt64 = time < 2 ? 400_000 : 0
            let message = Self.message(elapsed: Int64(time * 1e6), received: Int64(bytes - min(bytes, missing)))
            tally.add(message, at: .seconds(time), written: 1 << 40, held: bytes, beyondHole: missing)
        }
        let report = try tally.report(.full, host: "h", congestionControl: nil, counters: Self.counters())
        #expect(report.accounting == .receiver)
        #expect(abs(report.rate.bytesPerSecond - 1_000_000) < 1)
    }

    /// Nagle's algorithm holds a message back for as long as acknowledgements wait in the queue of the load.
    @Test(arguments: [1.0...2.5, 8.0...9.5])
    func `bytes beyond a lost segment count at the time of their acknowledgement, however late a message is`(
        hole: ClosedRange<Double>
    ) throws {
        var tally = NDT7Tally(.upload, options: SpeedTestOptions(), timing: NDT7Timing())
        for step in 1...90 {
            let time = Double(step) / 10
            func inOrder(at time: Double) -> Double { hole.contains(time) ? hole.lowerBound : time }
            let bytes = UInt64(time * 1_000_000)
            _ = tally.sample(bytes: bytes, at: .seconds(time), roundTrip: nil, counters: Self.counters())
            let made = hole.contains(time) ? time - 0.3 : time
            let message = Self.message(elapsed: Int64(made * 1e6), received: Int64(inOrder(at: made) * 1e6))
            let beyondHole = UInt64((time - inOrder(at: time)) * 1e6)
            tally.add(message, at: .seconds(time), written: 1 << 40, held: bytes, beyondHole: beyondHole)
        }
        let report = try tally.report(.full, host: "h", congestionControl: nil, counters: Self.counters())
        #expect(report.accounting == .receiver)
        #expect(abs(report.rate.bytesPerSecond - 1_000_000) < 1)
    }

    @Test func `without TCPInfo the server's own count is used`() throws {
        let tally = Self.tally(.upload) { time in
            NDT7Message(json: #"{"AppInfo":{"ElapsedTime":\#(Int(time * 1e6)),"NumBytes":\#(Int(time * 800_000))}}"#)
        }
        let report = try tally.report(.stable, host: "h", congestionControl: nil, counters: Self.counters())
        #expect(report.accounting == .receiver && report.isStable)
        #expect(abs(report.rate.bytesPerSecond - 800_000) < 1)
    }

    @Test func `a download counts received bytes, and its latency is the sender's`() throws {
        let tally = Self.tally(.download, busy: 0.95) { time in
            var message = Self.message(elapsed: 1, received: 1, rtt: Int64(time * 10_000))
            message.connection = NDT7Message.Connection(client: "c", server: "s", congestionControl: "bbr")
            return message
        }
        let end = Self.counters(0.95, at: 9)
        let report = try tally.report(.byteLimit, host: "h", congestionControl: "cubic", counters: end)
        #expect(abs(report.rate.bytesPerSecond - 1_000_000) < 1000)
        #expect(report.congestionControl == "bbr")
        // Of the half seconds from 1.5 s to 9 s.
        #expect(report.loadedLatency == .milliseconds(70))
        #expect(report.limits == [.cpu, .dataCap])
    }

    @Test(
        arguments: [
            // Measured beside four busy programs: 62 % of the line's rate.
            (.upload, 0.57, true), (.upload, 0.97, true), (.upload, 0.99, false), (.upload, nil, false),
            (.download, 0.1, false),
        ] as [(Direction, Double?, Bool)]
    )
    func `an upload of which the kernel had nothing to send for a while is limited by the processors`(
        direction: Direction,
        sending: Double?,
        isLimited: Bool
    ) throws {
        let tally = Self.tally(direction, busy: 0.6, sending: sending) { _ in nil }
        let report = try tally.report(.full, host: "h", congestionControl: nil, counters: Self.counters())
        #expect(report.limits == (isLimited ? [.cpu] : []))
    }

    @Test func `fewer than eight round trips have no result`() throws {
        let tally = Self.tally(.download) { time in time > 6 ? Self.message(elapsed: 1, received: 1, rtt: 5) : nil }
        #expect(
            try tally.report(.full, host: "h", congestionControl: nil, counters: Self.counters()).loadedLatency == nil
        )
    }

    @Test(
        arguments: [
            (.closed, .short), (.broken("h: reset"), .reset), (.wall, .timeout), (.byteLimit, .short),
        ] as [(NDT7Tally.End, SpeedTestFailure.Reason)]
    )
    func `an end before the window is long enough is a failure`(end: NDT7Tally.End, reason: SpeedTestFailure.Reason) {
        var tally = NDT7Tally(.download, options: SpeedTestOptions(), timing: NDT7Timing())
        for step in 1...23 {
            _ = tally.sample(
                bytes: UInt64(step) * 100,
                at: .milliseconds(step * 100),
                roundTrip: nil,
                counters: Self.counters()
            )
        }
        let failure = #expect(throws: SpeedTestFailure.self) {
            try tally.report(end, host: "h", congestionControl: nil, counters: Self.counters())
        }
        #expect(failure?.reason == reason)
    }

    @Test func `segments that arrived twice are taken off a download, as those of HTTP`() throws {
        var tally = NDT7Tally(.download, options: SpeedTestOptions(), timing: NDT7Timing())
        for step in 1...90 {
            let segments = UInt64(step) * 100_000
            _ = tally.sample(
                bytes: step < 20 ? segments : segments - 50_000,
                segments: segments,
                segmentSize: 1000,
                at: .milliseconds(step * 100),
                roundTrip: nil,
                counters: Self.counters()
            )
        }
        func rate(_ duplicates: UInt64) throws -> Double {
            let host = Self.counters(at: 9)
            return try tally.report(.full, host: "h", congestionControl: nil, counters: host, duplicates: duplicates)
                .rate.bytesPerSecond
        }
        #expect(try abs(rate(0) - 1_000_000) < 1)
        // 180 kB of the 9 MB that arrived.
        #expect(try abs(rate(180) - 980_000) < 1)
    }

    @Test(arguments: Direction.allCases)
    func `other programs' traffic is reported, as beside HTTP`(direction: Direction) throws {
        var tally = NDT7Tally(direction, options: SpeedTestOptions(), timing: NDT7Timing())
        func counters(_ time: Double, device: Double) -> HostCounters {
            let way = DeviceCount.Way(bytes: UInt64(time * device), packets: UInt64(time * 700))
            let traffic = HostCounters.Traffic(device: way, own: UInt64(time * 1_040_000))
            return HostCounters(time: .seconds(time), traffic: traffic)
        }
        for step in 1...90 {
            let time = Double(step) / 10
            _ = tally.sample(
                bytes: UInt64(time * 1_000_000),
                at: .seconds(time),
                roundTrip: nil,
                counters: counters(time, device: 1_040_000)
            )
        }
        func report(device: Double) throws -> DirectionReport {
            try tally.report(.full, host: "h", congestionControl: nil, counters: counters(9, device: device))
        }
        #expect(try report(device: 1_040_000).limits.isEmpty)
        #expect(try report(device: 1_400_000).limits == [.crossTraffic])
    }

    @Test func `an end after the shortest window is not a failure`() throws {
        var tally = NDT7Tally(.download, options: SpeedTestOptions(), timing: NDT7Timing())
        for step in 1...46 {
            _ = tally.sample(
                bytes: UInt64(step) * 100,
                at: .milliseconds(step * 100),
                roundTrip: nil,
                counters: Self.counters()
            )
        }
        #expect(
            try tally.report(.broken("reset"), host: "h", congestionControl: nil, counters: Self.counters()).rate
                .bytesPerSecond == 1000
        )
    }
}
