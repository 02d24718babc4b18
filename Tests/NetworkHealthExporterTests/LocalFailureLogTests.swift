import Testing

@testable import NetworkHealthExporter

struct LocalFailureLogTests {
    @Test func `The first failure is reported at once, then one count a minute`() {
        var log = LocalFailureLog()
        let reported = (0...150).map { second in log.failed(at: .seconds(second)) }

        let lines = reported.enumerated().compactMap { second, count in count.map { [second, Int($0)] } }
        #expect(lines == [[0, 1], [60, 60], [120, 60]])
    }
}
