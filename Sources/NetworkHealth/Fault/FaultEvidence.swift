package import NetworkPath
package import Posix
package import Probing
package import Statistics

/// What is known at an instant about where a fault may be; unknown is absent.
///
/// A value without a clock or a socket: whatever collects it decides how current it is.
package struct FaultEvidence: Sendable {
    package typealias Instant = OutcomeWindow.Instant

    /// How far back the rules look at most.
    ///
    /// The one that looks back furthest finds a server that loses more than the others.
    package static let span = LossRule.oddSpan

    /// An outage that goes on.
    package struct OngoingOutage: Sendable, Equatable {
        /// Of now, and not of its begin; nil: not known, as while a path that is back has not been checked.
        package var cause: OutageCause?
        /// When its first evidence arrived.
        package var since: Instant

        package init(_ cause: OutageCause?, since: Instant) { (self.cause, self.since) = (cause, since) }
    }

    /// The pings to the router.
    package struct Gateway: Sendable {
        package var address: IPAddress
        package var window = OutcomeWindow()
        /// How many of the last ones were lost in a row, also in an outage, whose pings the window may be without.
        package var silences = 0
        /// As that of a server.
        package var minimum: Duration?
        /// Whether the kernel has reached it lately (ARP, NDP); nil: not known.
        package var isNeighbour: Bool?
        /// When it answered the kernel last; nil: not known.
        package var confirmedAt: Instant?

        package init(_ address: IPAddress) { self.address = address }
    }

    /// A target, the internet checks of a family, or the address that is pinged with the hops.
    package struct Server: Sendable {
        package var name: String
        package var family: AddressFamily
        package var window = OutcomeWindow()
        /// Its least latency on this path; nil: the least one in the window.
        package var minimum: Duration?
        /// Whether it is on the internet and its latencies are round trips, so that the points before it compare with it.
        package var showsWay: Bool
        /// Whether each lost packet is a loss in its window: not where the kernel sends it again within the time of a check.
        package var showsLoss: Bool

        package init(
            _ name: String,
            _ family: AddressFamily,
            window: OutcomeWindow = OutcomeWindow(),
            showsWay: Bool = true,
            showsLoss: Bool = true
        ) {
            (self.name, self.family, self.window) = (name, family, window)
            (self.showsWay, self.showsLoss) = (showsWay, showsLoss)
        }
    }

    /// A configured name server, which is asked for itself.
    package struct NameServer: Sendable {
        package var address: String
        package var window: OutcomeWindow

        package init(_ address: String, window: OutcomeWindow = OutcomeWindow()) {
            (self.address, self.window) = (address, window)
        }
    }

    package var path: Path?
    package var outage: OngoingOutage?
    /// Whether the internet is reached; nil: not known.
    package var isOnline: Bool?
    package var gateway: Gateway?
    /// Of each family that is probed.
    package var hops: [HopReport] = []
    /// The distance of the provider's first router, where the configuration says so.
    package var firstProviderHop: Int?
    /// The global addresses of this host, by which IPv6 routers at home are known.
    package var ownAddresses: [IPAddress] = []
    package var servers: [Server] = []
    package var nameServers: [NameServer] = []
    package var host = HostFacts()
    package var link = LinkFacts()
    package var speedTest: SpeedTestFacts?
    /// Whether a speed test of this exporter fills the line now.
    package var isTesting = false
    /// Of the families on which larger packets vanish: the largest that arrive; nil: its size was not found.
    package var smallPackets: [AddressFamily: Int?] = [:]

    package init() {}
}

/// What is known about this machine.
package struct HostFacts: Sendable {
    /// The share of the time in which a task waited for a processor (`some` of /proc/pressure/cpu), 0 to 1.
    package var processorPressure: Double?
    /// What the device carries now, and what the line was measured to carry: in bits per second.
    package var received: Double?
    package var sent: Double?
    package var measuredDownload: Double?
    package var measuredUpload: Double?

    package init() {}
}

/// What is known about the link.
package struct LinkFacts: Sendable {
    /// In the last ten minutes.
    package var carrierChanges: Int?
    /// The share of received frames with errors in the last ten minutes, 0 to 1.
    package var errorRatio: Double?
    /// In bits per second: what is negotiated, and the most that both ends offer.
    package var speed: UInt64?
    package var maxSpeed: UInt64?
    /// In dBm.
    package var signal: Double?
    /// The share of frames that the radio sent again, 0 to 1.
    package var retryRatio: Double?

    package init() {}
}

/// What the last speed test found, in the worse of its directions.
package struct SpeedTestFacts: Sendable {
    package var server: String
    package var at: FaultEvidence.Instant
    /// In bits per second.
    package var rate: Double
    /// What the line should carry; nil: no plan is known.
    package var expected: Double?
    /// The thread that moved the load had no time to spare.
    package var isLimitedByProcessor = false
    /// The processor may have been the limit: the line carries at least `rate`.
    package var isLowerBound = false
    /// Other traffic of this host used the device.
    package var isLimitedByCrossTraffic = false
    /// The server was the limit.
    package var isLimitedByServer = false
    /// Another server that gave what is expected at about the same time; nil: none is known.
    package var reachedBy: String?
    /// Where packets waited under load; nil: not measured.
    package var queue: QueueLocation?

    package init(server: String, at: FaultEvidence.Instant, rate: Double) {
        (self.server, self.at, self.rate) = (server, at, rate)
    }
}
