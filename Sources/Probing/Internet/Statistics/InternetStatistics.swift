package import FoundationEssentials
package import Posix
package import Statistics

/// What looking for the internet has brought and cost so far.
package struct InternetStatistics: Sendable, Equatable {
    /// One series of the metrics.
    package struct Key: Sendable, Hashable {
        /// The configured name, the host of an HTTPS address, `literal` or `gateway`.
        package var probe: String
        package var family: AddressFamily

        package init(probe: String, family: AddressFamily) {
            self.probe = probe
            self.family = family
        }
    }

    package struct Account: Sendable, Equatable {
        package internal(set) var probes: UInt64 = 0
        package internal(set) var failures: [ProbeFailure: UInt64] = [:]
        /// Of each that came to an end, well or not.
        package internal(set) var duration = DurationHistogram(bounds: InternetStatistics.durationBounds)

        package init() {}
    }

    /// In seconds.
    package static let durationBounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    package private(set) var accounts: [Key: Account] = [:]
    /// When the internet last answered as it should.
    package private(set) var lastSuccess: [AddressFamily: Date] = [:]
    /// How long connecting to the servers of the internet took, the last 100 times on this uplink.
    package private(set) var connectTimes: [AddressFamily: SlidingWindow] = [:]
    /// What all questions have cost.
    package private(set) var traffic = Traffic()

    package init() {}

    /// Begins at 0 for each of these that was not asked yet.
    mutating func declare(_ probes: [String]) {
        for probe in probes {
            for key in AddressFamily.allCases.map({ Key(probe: probe, family: $0) }) where accounts[key] == nil {
                accounts[key] = Account()
            }
        }
    }

    mutating func add(_ sample: InternetSample, date: Date) {
        let key = Key(probe: sample.probe, family: sample.family)
        accounts[key, default: Account()].add(sample)
        traffic.received &+= sample.receivedBytes
        traffic.sent &+= sample.sentBytes
        if sample.isProof, sample.failure == nil { lastSuccess[sample.family] = date }
        // A name that does not resolve says nothing about the way to its server.
        switch sample.connecting {
        case .none: break
        case .took(let time): connectTimes[sample.family, default: SlidingWindow()].push(time)
        case .failed: connectTimes[sample.family, default: SlidingWindow()].push(nil)
        }
    }

    /// Forgets how far the internet was: what was measured on another uplink says nothing about this one.
    mutating func restartWindows() { connectTimes = [:] }
}

extension InternetStatistics.Account {
    fileprivate mutating func add(_ sample: InternetSample) {
        probes &+= 1
        if let failure = sample.failure { failures[failure, default: 0] &+= 1 }
        duration.observe(sample.duration)
    }
}
