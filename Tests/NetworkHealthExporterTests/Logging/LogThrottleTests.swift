import Logging
import Testing

@testable import NetworkHealthExporter

struct LogThrottleTests {
    @Test func `The first failure is reported at once, then one count a minute`() {
        var log = LogThrottle()
        let reported = (0...150).map { second in log.failed(at: .seconds(second)) }

        let lines = reported.enumerated().compactMap { second, count in count.map { [second, Int($0)] } }
        #expect(lines == [[0, 1], [60, 60], [120, 60]])
    }

    @Test func `A clock that makes certificates invalid is logged once an hour`() async {
        let log = LogRecorder()
        let reporter = ClockFaultReporter(logger: log.logger)
        reporter.found(.seconds(-3600.04))
        reporter.found(.seconds(-3601))
        log.logger.info("end")
        let line = "Certificates are not valid by the clock of this host, which differs from HTTP's Date; set the clock"
        #expect(await log.next() == "warning \(line)")
        #expect(await log.next() == "info end")
    }

    @Test func `Failures are logged without a remedy that may not fit their cause`() async {
        let log = LogRecorder()
        let reporter = LocalFailureReporter("Probes failed", logger: log.logger)
        reporter.failed("sendto: No buffer space available")
        reporter.failed("socket: Too many open files")
        log.logger.info("end")

        #expect(await log.next() == "warning Probes failed")
        #expect(await log.next() == "info end")
    }
}
