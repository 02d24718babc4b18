import Testing

@testable import NetworkHealthExporter

/// When the exporter of the host counts as silent.
struct HostSilenceTests {
    private let start = ContinuousClock.now

    private func end(after second: Int, due: Int, at now: Double) -> Duration? {
        let now = start + .seconds(now)
        return HostSilence.end(after: start + .seconds(second), due: start + .seconds(due), at: now)
            .map(start.duration(to:))
    }

    @Test func `each byte moves the end, and without one the host is silent`() {
        #expect(end(after: 0, due: 15, at: 15.1) == nil)
        #expect(end(after: 5, due: 15, at: 15.1) == .seconds(20))
    }

    @Test func `A process that was stopped, or slept, listens anew before it calls the host silent`() {
        #expect(end(after: 0, due: 15, at: 20) == .seconds(35))
        #expect(end(after: 0, due: 35, at: 35.1) == nil)
    }
}
