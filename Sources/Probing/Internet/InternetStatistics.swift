package import FoundationEssentials
import HTTPTransfer
package import Posix
package import Statistics

/// The results and the cost of all checks of the internet so far.
package struct InternetStatistics: Sendable, Equatable {
    /// The labels of one series.
    package struct Key: Sendable, Hashable {
        /// The configured name, the host of an HTTPS address, `literal` or `gateway`.
        package var probe: String
        package var family: AddressFamily

        /// The reasons for which these checks can fail.
        package var possibleFailures: Set<ProbeFailure> {
            switch probe {
            case InternetConfiguration.gatewayName: [.unreachable, .timeout, .local]
            case InternetConfiguration.literalName: [.refused, .unreachable, .timeout, .local]
            default: ProbeFailure.ofRequests.union([.portal]).subtracting([.noInterface])
            }
        }

        package init(probe: String, family: AddressFamily) {
            self.probe = probe
            self.family = family
        }
    }

    package struct Account: Sendable, Equatable {
        package internal(set) var probes: UInt64 = 0
        package internal(set) var failures: [ProbeFailure: UInt64] = [:]
        /// Of those that succeeded.
        package internal(set) var duration = DurationHistogram(bounds: InternetStatistics.durationBounds)

        package init() {}
    }

    /// In seconds.
    package static let durationBounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    package private(set) var accounts: [Key: Account] = [:]
    /// When a check of the internet last succeeded.
    package private(set) var lastSuccess: [AddressFamily: Date] = [:]
    /// The connect times of the last connections to internet servers on this uplink, outside of outages.
    package private(set) var connectTimes: [AddressFamily: OutcomeWindow] = [:]
    /// How long the last lookups of names took on this uplink outside of outages, over either family.
    package private(set) var lookupTimes = OutcomeWindow()
    /// This host's clock minus that of the servers that answered the last round over each family.
    private var clockSkews: [AddressFamily: Duration] = [:]
    private var outage = LastOutage()
    /// The payload of TCP, UDP and ICMP of all checks.
    package private(set) var traffic = ByteCounts()

    package init() {}

    /// Starts at 0 those of these that have not been counted yet.
    mutating func declare(_ probes: [String]) {
        for probe in probes {
            for key in AddressFamily.allCases.map({ Key(probe: probe, family: $0) }) where accounts[key] == nil {
                accounts[key] = Account()
            }
        }
    }

    /// This host's clock minus HTTP's `Date`; zero where the time of the exchange explains it; nil without a `Date`.
    package var clockSkew: Duration? { ClockCheck.nearest(clockSkews.values) }

    /// - Parameters:
    ///   - skew: nil: no server sent a `Date`.
    ///   - family: of the connections.
    mutating func note(_ skew: Duration?, over family: AddressFamily) { clockSkews[family] = skew }

    mutating func add(_ sample: InternetSample, date: Date, at now: OutcomeWindow.Instant) {
        let key = Key(probe: sample.probe, family: sample.family)
        accounts[key, default: Account()].add(sample)
        spend(ByteCounts(received: sample.receivedBytes, transmitted: sample.sentBytes))
        if sample.isProof, sample.failure == nil { lastSuccess[sample.family] = date }
        guard outage.ongoing == nil else { return }
        if let lookup = sample.lookup { lookupTimes.push(lookup, at: now) }
        // A name that does not resolve does not show whether its server can be reached.
        switch sample.connecting {
        case .none: break
        case .took(let time): connectTimes[sample.family, default: OutcomeWindow()].push(time, at: now)
        case .failed: connectTimes[sample.family, default: OutcomeWindow()].push(nil, at: now)
        }
    }

    /// Leaves out of the windows what is measured in an outage; nil: there was none yet.
    mutating func change(
        _ outage: OutagePeriod?,
        at now: OutcomeWindow.Instant = .now,
        awake: SuspendingClock.Instant = .now
    ) {
        guard let outage = self.outage.change(to: outage) else { return }
        outage.leaveOut(of: &lookupTimes, at: now, awake: awake)
        for family in connectTimes.keys {
            outage.leaveOut(of: &connectTimes[family, default: OutcomeWindow()], at: now, awake: awake)
        }
    }

    /// Counts what was sent and received without a check of its own.
    mutating func spend(_ bytes: ByteCounts) { traffic += bytes }

    /// Forgets times and clocks: those of another uplink are not valid for this one.
    mutating func restartWindows() { (connectTimes, lookupTimes, clockSkews) = ([:], OutcomeWindow(), [:]) }
}

extension InternetStatistics.Account {
    fileprivate mutating func add(_ sample: InternetSample) {
        probes &+= 1
        if let failure = sample.failure {
            failures[failure, default: 0] &+= 1
        } else {
            duration.observe(sample.duration)
        }
    }
}

/// One check of a round and its outcome, for the statistics.
struct InternetSample: Sendable, Equatable {
    var probe: String
    var family: AddressFamily
    var failure: ProbeFailure?
    /// Describes the failure where there was no answer.
    var detail: String
    var duration: Duration
    var connecting: Connecting
    /// From the name to an address; nil where no name was looked up, or it did not resolve.
    var lookup: Duration?
    /// Whether a success proves the internet: a router or an open port does not.
    var isProof: Bool
    var receivedBytes: UInt64
    var sentBytes: UInt64
    /// The ICMP error that came back, where it failed.
    var refusal: Refusal?

    /// The connect phase of a transfer.
    enum Connecting: Sendable, Equatable {
        /// Not tried: no address, a limit of this machine, or a reused connection.
        case none
        /// From the address to the TCP connection, or to its refusal.
        case took(Duration)
        case failed
    }

    /// - Parameters:
    ///   - probe: the label.
    ///   - family: of the connection.
    ///   - failure: nil: success.
    ///   - statistics: of the transfer.
    ///   - error: why there was no answer; nil: there was one.
    init(
        _ probe: String,
        _ family: AddressFamily,
        _ failure: ProbeFailure?,
        _ statistics: TransferStatistics,
        _ error: TransferError? = nil
    ) {
        self.probe = probe
        self.family = family
        self.failure = failure
        detail = error?.message ?? ""
        duration = statistics.duration
        connecting =
            switch (error?.phase, failure, statistics.phases.connect) {
            case (.resolve?, _, _), (_, .local?, _), (_, _, nil): .none
            case (.connect?, .refused?, let time?): .took(time)
            case (.connect?, _, _): .failed
            case (_, _, let time?): .took(time)
            }
        lookup = error?.phase == .resolve ? nil : statistics.phases.resolve.flatMap { $0 > .zero ? $0 : nil }
        isProof = true
        refusal = statistics.routerError.map { Refusal($0) }
        receivedBytes = statistics.receivedBytes
        sentBytes = statistics.sentBytes
    }

    init(_ probe: String, _ family: AddressFamily, _ result: ProbeResult) {
        self.probe = probe
        self.family = family
        failure = result.failure
        detail = result.detail
        duration = result.duration
        connecting = .none
        isProof = false
        receivedBytes = result.receivedBytes
        sentBytes = result.sentBytes
        refusal = result.refusal
    }
}
