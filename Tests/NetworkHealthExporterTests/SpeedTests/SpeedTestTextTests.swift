import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SpeedTestTextTests {
    @Test func `a result as text has its units, and what limited it`() {
        #expect(
            SpeedTestText.text(.good()) == """
                Server:     home (speedlab, 198.18.0.1:10319)
                Latency:    20.00 ms, jitter 1.00 ms
                Download:   100.00 Mbit/s (latency 80.00 ms under load, 500 RPM, cubic, limited by data_cap)
                Upload:     10.00 Mbit/s

                """
        )
    }

    @Test func `a failed test as text says what was not measured, and why`() {
        #expect(
            SpeedTestText.text(.failed()) == """
                Server:     home (speedlab, 198.18.0.1:10319)
                Latency:    not measured
                Download:   not measured
                Upload:     not measured
                Error:      198.18.0.1:10319 did not answer

                """
        )
    }

    @Test(arguments: [
        (0, "0.00"), (0.005, "0.01"), (9.999, "10.00"), (1234.5, "1234.50"), (-0.001, "0.00"), (-1.5, "-1.50"),
        (.infinity, "inf"), (1e300, "1e+300"),
    ])
    func `a number in a text has two decimals`(value: Double, text: String) {
        #expect(SpeedTestText.rounded(value) == text)
    }

    @Test(arguments: [
        (SpeedTestProgress(.connecting, fraction: 0), "Connecting  [--------------------------------]"),
        (
            SpeedTestProgress(.download, fraction: 0.5, rate: .megabits(100)),
            "Download    [################----------------]  100.00 Mbit/s"
        ),
        (SpeedTestProgress(.upload, fraction: 7), "Upload      [################################]"),
        (SpeedTestProgress(.latency, fraction: .nan), "Latency     [--------------------------------]"),
    ])
    func `the line of a running test`(progress: SpeedTestProgress, line: String) {
        #expect(ProgressDisplay.line(progress, columns: 80) == line)
    }

    @Test(arguments: [
        (62, "Download    [################----------------]  100.00 Mbit/s"),
        (61, "Download    [###############----------------]  100.00 Mbit/s"),
        (36, "Download    [###---]  100.00 Mbit/s"), (34, "Download    [##--]  100.00 Mbit/s"),
        (33, "Download 100.00 Mbit/s"), (23, "Download 100.00 Mbit/s"), (10, "Download "), (1, ""), (0, ""), (-1, ""),
    ])
    func `the line fits the terminal and leaves its last column free`(columns: Int, line: String) {
        let progress = SpeedTestProgress(.download, fraction: 0.5, rate: .megabits(100))
        #expect(ProgressDisplay.line(progress, columns: columns) == line)
    }

    @Test func `the line never wraps, whatever the rate and the phase`() {
        for columns in 0...200 {
            for phase in SpeedTestProgress.Phase.allCases {
                for rate in [nil, 0, 1e3, 1.25e9, 1e14, .infinity] {
                    let line = ProgressDisplay.line(
                        .init(phase, fraction: 1, rate: rate.map(BitRate.init(bytesPerSecond:))),
                        columns: columns
                    )
                    #expect(line.count < max(1, columns), "\(columns): \(line)")
                }
            }
        }
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1499, "1 kB"), (1500, "2 kB"), (500_000_000, "500 MB"), (8_710_000_000, "9 GB"),
        (1_400_000_000_000, "1 TB"), (.max, "18446744 TB"),
    ])
    func `a size has its unit`(bytes: UInt64, text: String) {
        #expect(SpeedTestText.size(bytes) == text)
    }

    @Test(arguments: [
        (-1.0, "0 s"), (30, "30 s"), (119.4, "119 s"), (620, "10 min"), (7200, "2 h"), (.infinity, "277778 h"),
    ])
    func `a delay has its unit`(seconds: Double, text: String) {
        #expect(SpeedTestText.delay(seconds) == text)
    }
}
