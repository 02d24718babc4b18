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

/// What one direction carried.
package struct DirectionReport: Sendable, Equatable {
    /// What held the figure down, as far as that can be known.
    package enum Limit: String, Sendable, CaseIterable, Codable {
        /// This process was as busy as one of its threads can be.
        case cpu
        /// The byte limit ended the window early.
        case dataCap = "data_cap"
        /// The server refused some of the connections or requests.
        case server
        /// Others used the device meanwhile.
        case crossTraffic = "cross_traffic"
    }

    /// Who counted the bytes.
    package enum Accounting: String, Sendable {
        /// The one that received them: this host in a download, the server in an upload.
        case receiver
        /// What the other side's kernel has acknowledged (tcpi_bytes_acked).
        case acknowledged
    }

    /// Goodput: HTTP body bytes a second, the mean over the window, no compensation of any overhead.
    package var bytesPerSecond: Double
    /// Moved in the window.
    package var bytes: UInt64
    /// The measured window, warm-up left out.
    package var window: Duration
    /// Of HTTP requests on a connection of their own during the window: the upper quartile; nil below 8 samples.
    ///
    /// A full buffer's queue saws with the senders' congestion control (CUBIC: between 70 and 100 %), and requests get through
    /// more often while it is short: a median of a few seconds says as much of the moment as of the buffer.
    package var loadedLatency: Duration?
    /// Round trips a minute under load (draft-ietf-ippm-responsiveness); nil below 8 samples.
    package var responsiveness: Double?
    /// The rate had settled when the window ended.
    package var isStable: Bool
    package var limits: Set<Limit> = []
    package var accounting: Accounting
    /// Of the sender, which decides how full it keeps the buffers: ours in an upload; in a download the server's, where
    /// it tells.
    package var congestionControl: String?
    /// Connections that carried load at the end.
    package var streams: Int

    package init(
        bytesPerSecond: Double,
        bytes: UInt64,
        window: Duration,
        isStable: Bool,
        accounting: Accounting,
        streams: Int
    ) {
        self.bytesPerSecond = bytesPerSecond
        self.bytes = bytes
        self.window = window
        self.isStable = isStable
        self.accounting = accounting
        self.streams = streams
    }
}

/// How far the server is while nothing loads the path.
package struct IdleLatency: Sendable, Equatable {
    /// The median: from the last byte of a request on a warm connection to the first of its answer, the server's own
    /// time taken off where it tells.
    package var latency: Duration
    /// The mean of the differences between one sample and the next (RFC 3393's variation, of round trips).
    package var jitter: Duration
    package var minimum: Duration
    /// Requests without an answer in time, 0…1.
    package var loss: Double

    package init(latency: Duration, jitter: Duration, minimum: Duration, loss: Double = 0) {
        self.latency = latency
        self.jitter = jitter
        self.minimum = minimum
        self.loss = loss
    }
}

/// Which way the load flows, seen from this host.
package enum Direction: String, Sendable, CaseIterable, Codable {
    case download, upload
}
