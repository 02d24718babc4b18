import Foundation
import Statistics
import Testing

@testable import SpeedTestCore

/// Recorded counters of downloads over a line of known rate, whose sender was BBR.
struct ArrivalTests {
    /// The readings of one download.
    private struct Recording {
        /// Bytes a second that TCP can carry: 1448 of each 1500 bytes of IP.
        var truth = 0.0
        var readings: [(time: Duration, connections: [(bytes: UInt64, segments: UInt64)])] = []

        init(_ name: String) throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Fixtures/Arrivals/\(name).txt")
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let fields = line.split(separator: " ")
                if fields[0] == "#" {
                    truth = Double(fields[1]).map { $0 * 125_000 * 1448 / 1500 } ?? 0
                    continue
                }
                let connections = fields.dropFirst().map { field in
                    let numbers = field.split(separator: ",").compactMap { UInt64($0) }
                    return (numbers[0], numbers[1])
                }
                readings.append((.milliseconds(try #require(Int(fields[0]))), connections))
            }
        }

        /// Runs the plan over it as a load does.
        func run(segment: UInt64) throws -> (window: SteadyWindow, share: Double) {
            var plan = LoadPlan(share: nil, length: .seconds(5) ... .seconds(10))
            var share = PayloadShare()
            for reading in readings {
                var sample = LoadSample(time: reading.time, bytes: 0)
                for connection in reading.connections {
                    share.add(delivered: connection.bytes, segments: connection.segments * segment)
                    sample.bytes += connection.bytes
                }
                let segments = reading.connections.reduce(0) { $0 + $1.segments * segment }
                sample.segments = share.isSound ? segments : nil
                if case .end = plan.take(sample, isExhausted: false, isProbed: true) { break }
            }
            return (try #require(plan.window), share.value(duplicates: 0))
        }
    }

    private static let names = [
        "bbr-5mbit-20ms-100ms", "bbr-5mbit-100ms-400ms", "bbr-20mbit-1ms-100ms", "bbr-20mbit-20ms-20ms",
        "bbr-20mbit-100ms-20ms", "bbr-20mbit-100ms-100ms", "bbr-50mbit-1ms-100ms", "bbr-50mbit-20ms-400ms",
        "bbr-100mbit-1ms-400ms", "bbr-100mbit-20ms-100ms", "bbr-100mbit-100ms-20ms", "bbr-100mbit-100ms-400ms",
    ]

    /// How far the rates by what arrived, and by what is in order, are from that of the line.
    private static func errors(_ name: String) throws -> (arrived: Double, inOrder: Double, uncertainty: Double?) {
        let recording = try Recording(name)
        let (window, share) = try recording.run(segment: 1448)
        let mean = try #require(window.mean)
        let bytes = try #require(MeanRate(window.samples.map { LoadSample(time: $0.time, bytes: $0.bytes) }))
        return (
            Double(mean.payload(share)) / mean.duration.seconds / recording.truth - 1,
            bytes.bytesPerSecond / recording.truth - 1, mean.uncertainty
        )
    }

    @Test(arguments: names)
    func `what has arrived is the rate of the line`(name: String) throws {
        let (arrived, _, uncertainty) = try Self.errors(name)
        #expect(abs(arrived) <= 0.002 && uncertainty == 0.002)
    }

    /// A sender that writes message by message, Debian's python3-websockets with 64 KiB: at first more of its segments are full than later.
    @Test func `without a hole the bytes in order are what has arrived, whatever the segments carry`() throws {
        let (window, share) = try Recording("reno-100mbit-messages").run(segment: 1448)
        let (start, end) = (window.start, window.end)
        let carried =
            Double(end.bytes - start.bytes) / Double(try #require(end.segments) - (try #require(start.segments)))
        #expect(share > 0.999 && carried < 0.985)
        let (arrived, _, uncertainty) = try Self.errors("reno-100mbit-messages")
        #expect(abs(arrived) <= 0.002 && uncertainty == 0.002, "\(arrived)")
    }

    @Test func `bytes that have begun to wait behind a hole are no even share`() throws {
        let samples = (0...50).map { index in
            // 0.1 MB in each tenth of a second, of which those of the last two wait.
            let segments = UInt64(index) * 100_000
            return LoadSample(time: .milliseconds(100 * index), bytes: min(segments, 4_800_000), segments: segments)
        }
        #expect(try #require(MeanRate(samples)).isOfSegments)
        #expect(!(try #require(MeanRate(Array(samples.prefix(49))))).isOfSegments)
    }

    @Test func `what is in order is one to four in a hundred off on half of these lines`() throws {
        let errors = try Self.names.map { abs(try Self.errors($0).inOrder) }
        #expect(errors.count { $0 > 0.01 } >= 6 && errors.max() ?? 0 > 0.04)
    }

    @Test func `segments that the device has joined are no measure, and the bytes in order count`() throws {
        let recording = try Recording("virtio-aggregates")
        var share = PayloadShare()
        for reading in recording.readings {
            share.add(delivered: reading.connections[0].bytes, segments: reading.connections[0].segments * 1348)
        }
        #expect(!share.isSound)
    }
}
