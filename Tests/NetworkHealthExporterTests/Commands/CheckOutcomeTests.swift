import Testing

@testable import NetworkHealthExporter

struct CheckOutcomeTests {
    @Test func `systemd must not take a mistake for a failed condition`() {
        let outcomes: [Check.Outcome] = [.passed, .failed, .unknown, .unreachable, .usage]
        #expect(outcomes.map { $0.status(forSystemd: false) } == [0, 1, 2, 3, 64])
        #expect(outcomes.map { $0.status(forSystemd: true) } == [0, 1, 255, 255, 255])
    }
}
