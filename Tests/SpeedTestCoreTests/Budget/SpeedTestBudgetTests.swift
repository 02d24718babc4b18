import FoundationEssentials
import Lab
import Testing

@testable import SpeedTestCore

@Suite struct SpeedTestBudgetTests {
    @Test func `a run is estimated at the bytes of the last one, else at its maximum`() {
        var budget = SpeedTestBudget()
        budget.perRun = 500
        #expect(budget.estimate(lastRun: nil) == 500)
        #expect(budget.estimate(lastRun: 300) == 300)
        // A run that went over its limit is no reason never to test again.
        #expect(budget.estimate(lastRun: 525) == 500)
    }

    @Test func `no estimate exceeds a fresh day or month`() {
        var budget = SpeedTestBudget()
        budget.perDay = 100
        #expect(budget.estimate(lastRun: nil) == 100)
        budget.perMonth = 50
        #expect(budget.estimate(lastRun: nil) == 50)
    }

    @Test func `two directions share what remains`() {
        var budget = SpeedTestBudget()
        budget.perRun = 500
        let both: [Direction] = [.download, .upload]
        #expect(budget.shares(of: 400, directions: both) == [.download: 200, .upload: 200])
        #expect(budget.shares(of: 401, directions: both.reversed()) == [.download: 200, .upload: 201])
        #expect(budget.shares(of: 10_000, directions: both) == [.download: 250, .upload: 250])
        #expect(budget.shares(of: 1, directions: both) == [.download: 0, .upload: 1])
        #expect(budget.shares(of: 0, directions: both) == [.download: 0, .upload: 0])
        #expect(budget.shares(of: 400, directions: [.download]) == [.download: 400])
        #expect(budget.shares(of: 10_000, directions: [.upload, .upload]) == [.upload: 500])
        #expect(budget.shares(of: 400, directions: []) == [:])
    }

    @Test func `of a share of packets 94 percent are payload`() {
        #expect(SpeedTestBudget.payload(of: 250_000_000) == 235_000_000)
        #expect(SpeedTestBudget.payload(of: .max) < .max)
    }

    @Test func `a warm-up leaves two thirds to measure with`() {
        #expect(SpeedTestBudget.warmUp(of: 250_000_000) == 83_333_333)
    }
}

@Suite struct BudgetLeaseTests {
    private static let megabyte: UInt64 = 1_000_000

    @Test(arguments: [1, 100, 1000, 10_000])
    func `whenever a run is killed, at least its used bytes are stored`(megabits: Double) {
        // At 10 Gbit/s only with the rate of the last run.
        let rate = megabits * 125_000
        var random = SplitMix64(state: UInt64(megabits))
        var lease = BudgetLease(limit: 500 * Self.megabyte, expectedRate: megabits > 1000 ? rate : nil)
        var used: UInt64 = 0
        var uncounted: UInt64 = 0
        var ahead: UInt64 = 0
        var instalments = 0
        // A look every 100 ms, the rate uneven.
        for _ in 0..<2000 where used < lease.limit {
            used = min(used + UInt64(rate * 0.1 * Double.random(in: 0.5...1.2, using: &random)), lease.limit)
            if used > lease.reserved { uncounted = max(uncounted, used - lease.reserved) }
            instalments += lease.extend(used: used, bytesPerSecond: rate) ? 1 : 0
            ahead = max(ahead, lease.reserved - used)
        }
        #expect(uncounted == 0)
        #expect(lease.reserved <= lease.limit)
        #expect(ahead <= max(32 * Self.megabyte, UInt64(3 * rate)))
        #expect(instalments < 40)
    }

    @Test func `reservations are few`() {
        var lease = BudgetLease(limit: 500 * Self.megabyte)
        var instalments = 0
        for look in 1...100 {
            // 100 Mbit/s for ten seconds.
            let used = UInt64(look) * 1_250_000
            if lease.extend(used: used, bytesPerSecond: 12_500_000) { instalments += 1 }
        }
        #expect((4...7).contains(instalments))
    }

    @Test func `a lease does not exceed its limit, unless the used bytes do`() {
        var lease = BudgetLease(limit: 10)
        #expect(lease.reserved == 10)
        let extensions = [10 as UInt64, 11, 5].map { lease.extend(used: $0, bytesPerSecond: 1e9) }
        #expect(extensions == [false, true, false])
        #expect(lease.reserved == 11)
    }

    @Test(arguments: [-Double.infinity, -1, 0, .nan, .infinity, 1e300])
    func `no rate traps`(rate: Double) {
        var lease = BudgetLease(limit: .max, expectedRate: rate)
        for used: UInt64 in [0, 1, .max - 1, .max] { _ = lease.extend(used: used, bytesPerSecond: rate) }
        #expect(lease.reserved == .max)
    }

    @Test func `a stored lease is read back`() throws {
        var lease = BudgetLease(limit: 500 * Self.megabyte)
        _ = lease.extend(used: 100 * Self.megabyte, bytesPerSecond: 1e7)
        let written = try JSONEncoder().encode(lease)
        #expect(try JSONDecoder().decode(BudgetLease.self, from: written) == lease)
    }
}
