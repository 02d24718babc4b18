package import FoundationEssentials

/// What one test against one server found, also where it failed midway: what was measured until then is in it.
package struct SpeedTestReport: Sendable, Equatable {
    package var server: SpeedTestServer
    /// Where the connections went, host and port.
    package var host: String
    package var startedAt: Date
    package var duration: Duration = .zero
    package var ping: IdleLatency?
    package var download: DirectionReport?
    package var upload: DirectionReport?
    /// The first thing that went wrong; nil when all that was asked for was measured.
    package var failure: SpeedTestFailure?
    /// What it has cost.
    package var traffic = TrafficAccount.Bytes()

    package init(server: SpeedTestServer, host: String, startedAt: Date) {
        self.server = server
        self.host = host
        self.startedAt = startedAt
    }

    package subscript(direction: Direction) -> DirectionReport? {
        get { direction == .download ? download : upload }
        set { if direction == .download { download = newValue } else { upload = newValue } }
    }
}
