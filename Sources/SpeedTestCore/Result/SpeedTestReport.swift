package import FoundationEssentials
package import Statistics

/// The direction of the load, seen from this host.
package enum Direction: String, Sendable, CaseIterable, Codable {
    case download, upload
}

/// One speed test against one server, from the engine to every view; where it failed, with what was measured until
/// then.
package struct SpeedTestReport: Sendable, Equatable {
    /// The server's name in the configuration.
    package var server: String
    package var `protocol`: SpeedTestProtocol
    /// Host and port that the connections went to.
    package var host: String
    package var startedAt: Date
    package var duration: Duration = .zero
    /// The uplink that it was measured on, which its caller knows; empty: unknown.
    package var uplink = ""
    /// The name that the configuration gave this uplink in the test, which its caller knows; nil: none.
    package var uplinkName: String?
    /// The server's address is one of this host: the test crossed no uplink.
    package var isLocal = false
    /// What it was measured over, which its caller knows; nil: not known.
    package var link: Link?
    /// Only the latency was requested.
    package var isLatencyOnly = false
    package var ping: IdleLatency?
    package var download: DirectionReport?
    package var upload: DirectionReport?
    /// The first thing that went wrong; nil when everything that was requested was measured.
    package var failure: SpeedTestFailure?
    /// All bytes that it moved.
    package var traffic = ByteCounts()

    /// A cable, a radio or a modem; in a tunnel the one below it.
    package struct Link: Sendable, Equatable, Codable {
        /// As the connection type of a snapshot.
        package var type: String
        /// The negotiated speed; nil: not known.
        package var speedMbps: Double?

        package init(type: String, speedMbps: Double?) { (self.type, self.speedMbps) = (type, speedMbps) }
    }

    package init(server: String, protocol: SpeedTestProtocol, host: String, startedAt: Date) {
        self.server = server
        self.protocol = `protocol`
        self.host = host
        self.startedAt = startedAt
    }

    /// Added as seconds since 1970: those of a rounded report are then to the bit what its text is read as.
    package var endedAt: Date { Date(timeIntervalSince1970: startedAt.timeIntervalSince1970 + duration.seconds) }

    package subscript(direction: Direction) -> DirectionReport? {
        get { direction == .download ? download : upload }
        set { if direction == .download { download = newValue } else { upload = newValue } }
    }

    /// With the digits that are measured and stored, so that a restart changes no value: the start in seconds, the duration
    /// in milliseconds, times in microseconds, rates in five digits.
    package var rounded: SpeedTestReport {
        var report = self
        report.startedAt = Date(timeIntervalSince1970: startedAt.timeIntervalSince1970.rounded(.down))
        report.duration = .milliseconds(Int64((duration / .milliseconds(1)).rounded()))
        report.ping = ping.map { IdleLatency(latency: $0.latency.inMicroseconds, jitter: $0.jitter.inMicroseconds) }
        for direction in Direction.allCases {
            guard var transfer = self[direction] else { continue }
            transfer.rate = transfer.rate.rounded
            transfer.window = transfer.window.inMicroseconds
            transfer.loadedLatency = transfer.loadedLatency?.inMicroseconds
            transfer.uncertainty = transfer.uncertainty.map { ($0 * 1e5).rounded() / 1e5 }
            transfer.otherTraffic = transfer.otherTraffic?.rounded
            report[direction] = transfer
        }
        return report
    }
}

extension Duration {
    /// The nearest whole number of microseconds.
    fileprivate var inMicroseconds: Duration { .microseconds(Int64((self / .microseconds(1)).rounded())) }
}

/// What one direction carried.
package struct DirectionReport: Sendable, Equatable {
    /// What limited the rate besides the path, as far as that is known.
    package enum Limit: String, Sendable, CaseIterable, Codable {
        /// The thread that moves the load used its processor completely, or the machine's processors were withheld from it:
        /// the rate is a lower bound.
        case cpu
        /// The byte limit ended the window early.
        case dataCap = "data_cap"
        /// The server refused some of the connections or requests.
        case server
        /// Other traffic used the device meanwhile.
        case crossTraffic = "cross_traffic"
        /// The rate is nearly that of the cable or the port.
        case linkSpeed = "link_speed"
    }

    /// Which side counted the bytes.
    package enum Accounting: String, Sendable {
        /// The receiver: this host in a download, the server in an upload.
        case receiver
        /// This host, by what the other side has acknowledged (tcpi_bytes_acked).
        case acknowledged
    }

    /// Goodput: HTTP body bytes, the mean over the window, without compensation of any overhead.
    package var rate: BitRate
    /// Moved in the window.
    package var bytes: UInt64
    /// The length of the measured window, without the warm-up.
    package var window: Duration
    /// The upper quartile of HTTP requests on a separate connection during the window; nil below 8 samples.
    ///
    /// The queue of a full buffer oscillates with the sender's congestion control (CUBIC: between 70 and 100 %), and
    /// more requests are answered while it is short: a median over a few seconds depends on the moment.
    package var loadedLatency: Duration?
    /// Round trips per minute under load (draft-ietf-ippm-responsiveness); nil below 8 samples.
    package var responsiveness: Double?
    /// Half the width of the 95 % interval of the rate, as a share of it (`MeanRate`); nil: not known.
    package var uncertainty: Double?
    package var limits: Set<Limit> = []
    /// The thread that moved the load had no time to spare; false in a report that was read from storage.
    ///
    /// The limit `cpu` also covers processors that a hypervisor or a quota withheld. Only this value shows that this machine was the
    /// limit.
    package var isProcessorBusy = false
    /// What else the device carried meanwhile in this direction; nil: not known.
    package var otherTraffic: BitRate?
    /// Where packets waited meanwhile, which its caller knows; nil: not measured.
    package var queue: QueueLocation?
    /// The rate is higher than what the device has received in the same time: it is not that of the line.
    package var exceedsDevice = false
    /// nil in a report that was read from storage.
    package var accounting: Accounting?
    /// Of the sender, since it decides how full the buffers are: ours in an upload; in a download the server's, where
    /// the server reports it.
    package var congestionControl: String?
    /// Connections that carried load at the end; nil in a report that was read from storage.
    package var streams: Int?

    /// Whether the path may carry more: this machine could not.
    package var isLowerBound: Bool { limits.contains(.cpu) }

    /// The largest uncertainty of a stable rate.
    static let stable = 0.02

    /// Whether the rate is known to 2 %.
    package var isStable: Bool { !exceedsDevice && uncertainty.map { $0 <= Self.stable } ?? false }

    package init(rate: BitRate, bytes: UInt64, window: Duration, uncertainty: Double?) {
        self.rate = rate
        self.bytes = bytes
        self.window = window
        self.uncertainty = uncertainty
    }
}

/// The latency of the unloaded path.
package struct IdleLatency: Sendable, Equatable {
    /// The median: from the last byte of a request on a warm connection to the first byte of its answer, without the
    /// server's own time where the server reports it.
    package var latency: Duration
    /// The mean difference between one sample and the next (RFC 3393's variation, of round trips).
    package var jitter: Duration

    package init(latency: Duration, jitter: Duration) {
        self.latency = latency
        self.jitter = jitter
    }
}
