import Glibc
import NetworkHealth
import SpeedTestCore
import Statistics

/// The test of a command, without schedule and accounting; the budget of one run limits it all the same.
struct CommandSpeedTest: Sendable {
    let section: SpeedTestSection
    let directions: [Direction]
    var uplink = Uplink.none
    var display = ProgressDisplay(isShown: false)

    /// Tests the servers in turn until one test succeeds; nil without a server.
    ///
    /// A failure after which another server is tested goes to standard error; the last one is only in the report.
    func run(_ servers: [SpeedTestServer]) async -> SpeedTestReport? {
        var last: SpeedTestReport?
        for server in servers {
            if let last, let failure = last.failure { StandardError.write("\(last.server): \(failure)\n") }
            let report = await measure(server)
            last = report
            if report.failure == nil { break }
        }
        return last
    }

    private func measure(_ server: SpeedTestServer) async -> SpeedTestReport {
        var options = section.options(directions: directions)
        options.byteLimit = section.budget.shares(of: section.budget.perRun, directions: directions)
        let engine = SpeedTestEngine(
            server: server,
            options: options,
            userAgent: Version.userAgent,
            account: TrafficAccount()
        )
        var report = await engine.run { [display] in display.show($0) }
        display.clear()
        report.uplink = report.isLocal ? Uplink.local : uplink
        return report.rounded
    }
}

/// The line of a terminal that shows the progress of a test.
struct ProgressDisplay: Sendable {
    let isShown: Bool

    func show(_ progress: SpeedTestProgress) {
        guard isShown else { return }
        // Returns to the start of the line and erases it.
        StandardError.draw("\r\u{1b}[2K\(Self.line(progress, columns: Self.columns))")
    }

    func clear() {
        if isShown { StandardError.draw("\r\u{1b}[2K") }
    }

    /// For example `Download    [########--------]  94.31 Mbit/s`; in a narrow terminal with a shorter bar, or none.
    static func line(_ progress: SpeedTestProgress, columns: Int) -> String {
        let name =
            switch progress.phase {
            case .connecting: "Connecting"
            case .latency: "Latency"
            case .download: "Download"
            case .upload: "Upload"
            }
        // A line that reaches the last column wraps on some terminals.
        let width = max(0, columns - 1)
        let rate = progress.rate.map(SpeedTestText.rate) ?? ""
        // Room for a rate is kept, so that the bar has the same length with and without one.
        let room = width - nameWidth - "[]  ".count - max(rate.count, rateWidth)
        guard room >= 4 else { return String((rate.isEmpty ? name : "\(name) \(rate)").prefix(width)) }
        let fraction = progress.fraction.isFinite ? min(1, max(0, progress.fraction)) : 0
        let length = min(room, maxBar)
        let done = Int(fraction * Double(length))
        let bar = String(repeating: "#", count: done) + String(repeating: "-", count: length - done)
        let line = name + String(repeating: " ", count: nameWidth - name.count) + "[\(bar)]"
        return rate.isEmpty ? line : "\(line)  \(rate)"
    }

    private static let nameWidth = 12
    private static let rateWidth = "100.00 Mbit/s".count
    private static let maxBar = 32

    /// Of the terminal at this moment; 80 where it is unknown.
    private static var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
