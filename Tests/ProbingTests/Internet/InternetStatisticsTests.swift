import FoundationEssentials
import HTTPTransfer
import Posix
import Statistics
import Testing

@testable import Probing

struct InternetStatisticsTests {
    private let date = Date(timeIntervalSince1970: 1_000_000)

    private func sample(
        _ failure: ProbeFailure? = nil,
        _ family: AddressFamily = .ipv4,
        connect: Double? = nil,
        endedIn phase: TransferError.Phase? = nil
    ) -> InternetSample {
        var statistics = TransferStatistics()
        statistics.duration = .milliseconds(30)
        statistics.receivedBytes = 300
        statistics.sentBytes = 200
        statistics.phases.connect = connect.map { .seconds($0) }
        let error = phase.map { TransferError(.timeout, phase: $0, message: "") }
        return InternetSample("google", family, failure, statistics, error)
    }

    @Test func `each probe counts for its name and family`() throws {
        var statistics = InternetStatistics()
        statistics.add(sample(), date: date, at: .now)
        statistics.add(sample(.portal), date: date, at: .now)
        statistics.add(sample(.portal), date: date, at: .now)
        statistics.add(sample(.timeout, .ipv6), date: date, at: .now)
        let account = try #require(statistics.accounts[.init(probe: "google", family: .ipv4)])
        #expect(account.probes == 3)
        #expect(account.failures == [.portal: 2])
        #expect(account.duration.counts.reduce(0, +) == 1)
        #expect(statistics.accounts[.init(probe: "google", family: .ipv6)]?.failures == [.timeout: 1])
        #expect(statistics.traffic == ByteCounts(received: 1200, transmitted: 800))
    }

    @Test func `Counters of checks start at 0`() {
        var statistics = InternetStatistics()
        statistics.add(sample(), date: date, at: .now)
        statistics.declare(["google", "literal"])
        #expect(
            statistics.accounts.mapValues(\.probes) == [
                .init(probe: "google", family: .ipv4): 1, .init(probe: "google", family: .ipv6): 0,
                .init(probe: "literal", family: .ipv4): 0, .init(probe: "literal", family: .ipv6): 0,
            ]
        )
    }

    @Test func `The clock is compared with the nearest of both families in their last rounds`() {
        var statistics = InternetStatistics()
        #expect(statistics.clockSkew == nil)
        statistics.note(.seconds(90), over: .ipv4)
        statistics.note(.seconds(-5), over: .ipv6)
        #expect(statistics.clockSkew == .seconds(-5))
        statistics.note(nil, over: .ipv6)
        #expect(statistics.clockSkew == .seconds(90))
        statistics.note(.zero, over: .ipv4)
        #expect(statistics.clockSkew == .zero)
        statistics.restartWindows()
        #expect(statistics.clockSkew == nil)
    }

    @Test func `The time of a lookup counts where one was made and had a result, until the uplink changes`() {
        var statistics = InternetStatistics()
        func lookup(_ time: Duration?, endedIn phase: TransferError.Phase? = nil) -> InternetSample {
            var transfer = TransferStatistics()
            transfer.phases.resolve = time
            return InternetSample(
                "google",
                .ipv4,
                nil,
                transfer,
                phase.map { TransferError(.timeout, phase: $0, message: "") }
            )
        }
        for sample in [lookup(.milliseconds(7)), lookup(.zero), lookup(nil), lookup(.seconds(3), endedIn: .resolve)] {
            statistics.add(sample, date: date, at: .now)
        }
        #expect(statistics.lookupTimes.newest().list == [.milliseconds(7)])
        statistics.restartWindows()
        #expect(statistics.lookupTimes.count == 0)
    }

    @Test func `Only an answer of an internet server is a success`() {
        var statistics = InternetStatistics()
        statistics.add(InternetSample("gateway", .ipv4, ProbeResult()), date: date, at: .now)
        statistics.add(sample(.status, .ipv6), date: date, at: .now)
        #expect(statistics.lastSuccess.isEmpty)
        statistics.add(sample(), date: date, at: .now)
        #expect(statistics.lastSuccess == [.ipv4: date])
    }

    @Test func `The last connect times are kept, losses included`() {
        var statistics = InternetStatistics()
        for number in 0..<150 { statistics.add(sample(connect: Double(number)), date: date, at: .now) }
        #expect(statistics.connectTimes[.ipv4]?.newest(100).median == .seconds(99.5))
        statistics.add(sample(.timeout, connect: 3, endedIn: .connect), date: date, at: .now)
        #expect(statistics.connectTimes[.ipv4]?.newest(100).lossRatio == 0.01)
        #expect(statistics.connectTimes[.ipv4]?.newest(100).median == .seconds(100), "what timed out has no time")
        for failure in [ProbeFailure.resolve, .timeout] {
            statistics.add(sample(failure, endedIn: .resolve), date: date, at: .now)
            #expect(statistics.connectTimes[.ipv4]?.newest(100).lossRatio == 0.01, "no connection was tried")
        }
        statistics.add(sample(.refused, connect: 1, endedIn: .connect), date: date, at: .now)
        #expect(statistics.connectTimes[.ipv4]?.newest(100).lossRatio == 0.01, "a refusal is an answer")
        statistics.restartWindows()
        #expect(statistics.connectTimes.isEmpty)
    }
}
