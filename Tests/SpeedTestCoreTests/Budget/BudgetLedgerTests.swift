import FoundationEssentials
import SpeedTestCore
import Testing

/// In Europe/Berlin: an hour ahead of UTC in winter.
@Suite struct BudgetLedgerTests {
    private let budget: SpeedTestBudget

    init() {
        Berlin.zone
        var budget = SpeedTestBudget()
        (budget.perRun, budget.perDay, budget.perMonth) = (500, 1000, 3000)
        self.budget = budget
    }

    private func remaining(_ ledger: BudgetLedger, _ date: String, resetDay: Int = 1) throws -> [UInt64] {
        var budget = budget
        budget.resetDay = resetDay
        let remaining = ledger.remaining(budget, at: try utc(date))
        return [remaining.run, remaining.day, remaining.month]
    }

    private func ledger(_ charges: (UInt64, String)...) throws -> BudgetLedger {
        var ledger = BudgetLedger()
        for (bytes, date) in charges { ledger.charge(bytes, at: try utc(date)) }
        return ledger
    }

    @Test func `an empty ledger has the whole budget`() throws {
        #expect(try remaining(BudgetLedger(), "2026-11-20 12:00") == [500, 1000, 3000])
    }

    @Test func `a run may use the minimum of run, day and month`() throws {
        #expect(try remaining(ledger((300, "2026-11-20 12:00")), "2026-11-20 13:00") == [500, 700, 2700])
        #expect(try remaining(ledger((700, "2026-11-20 12:00")), "2026-11-20 13:00") == [300, 300, 2300])
        let month = try ledger((1000, "2026-11-18 12:00"), (1000, "2026-11-19 12:00"), (800, "2026-11-20 12:00"))
        #expect(try remaining(month, "2026-11-21 13:00") == [200, 1000, 200])
    }

    @Test func `a use above all limits leaves 0, and nothing overflows`() throws {
        let ledger = try ledger((.max, "2026-11-20 12:00"), (.max, "2026-11-20 12:00"), (1, "2026-11-21 12:00"))
        #expect(try remaining(ledger, "2026-11-20 13:00") == [0, 0, 0])
        #expect(try remaining(ledger, "2026-11-21 13:00") == [0, 999, 0])
        #expect(try remaining(ledger, "2026-12-01 13:00") == [500, 1000, 3000])
    }

    @Test func `a day begins at midnight in the configured zone`() throws {
        let ledger = try ledger((600, "2026-11-20 12:00"))
        #expect(try remaining(ledger, "2026-11-20 22:59:59") == [400, 400, 2400])
        #expect(try remaining(ledger, "2026-11-20 23:00") == [500, 1000, 2400])
    }

    @Test(arguments: [
        (1, "2026-11-30 22:59:59", 2400), (1, "2026-11-30 23:00", 3000),
        (20, "2026-12-19 22:59:59", 2400), (20, "2026-12-19 23:00", 3000),
        (21, "2026-11-20 22:59:59", 2400), (21, "2026-11-20 23:00", 3000),
        // Over the end of a year, and days that not every month has.
        (25, "2026-11-24 22:59:59", 2400), (25, "2026-11-24 23:00", 3000),
        (31, "2026-11-27 22:59:59", 2400), (31, "2026-11-27 23:00", 3000),
        (0, "2026-11-30 23:00", 3000), (-5, "2026-11-30 22:59:59", 2400),
    ])
    func `a month begins on its reset day`(resetDay: Int, at: String, left: UInt64) throws {
        let ledger = try ledger((600, "2026-11-20 12:00"))
        #expect(try remaining(ledger, at, resetDay: resetDay)[2] == left)
    }

    @Test func `a month that began last year ends in this one`() throws {
        let ledger = try ledger((600, "2026-12-20 12:00"))
        #expect(try remaining(ledger, "2027-01-14 22:59:59", resetDay: 15)[2] == 2400)
        #expect(try remaining(ledger, "2027-01-14 23:00", resetDay: 15)[2] == 3000)
    }

    @Test func `a clock that is set back frees nothing, and later bytes are charged to the later day`() throws {
        var ledger = try ledger((300, "2026-12-01 12:00"))
        for date in ["2026-11-30 12:00", "2026-11-10 12:00"] {
            #expect(try remaining(ledger, date) == [500, 700, 2700])
        }
        ledger.charge(200, at: try utc("2026-11-30 12:00"))
        #expect(try remaining(ledger, "2026-11-30 13:00") == [500, 500, 2500])
        #expect(try remaining(ledger, "2026-12-01 13:00") == [500, 500, 2500])
        #expect(try remaining(ledger, "2026-12-02 13:00") == [500, 1000, 2500])
    }

    @Test func `days and months of the past count in neither`() throws {
        let ledger = try ledger((1000, "2026-10-31 12:00"), (300, "2026-11-05 12:00"))
        #expect(try remaining(ledger, "2026-11-20 13:00") == [500, 1000, 2700])
    }

    @Test func `a clock set forward by years and back loses no month, and leaves no entry ahead`() throws {
        var ledger = try ledger((900, "2026-11-19 12:00"), (600, "2026-11-20 12:00"), (100, "2099-05-01 12:00"))
        #expect(try remaining(ledger, "2026-11-20 13:00") == [300, 300, 1400])
        ledger.settle(at: try utc("2026-11-20 13:00"))
        #expect(try remaining(ledger, "2026-11-20 13:00") == [300, 300, 1400])
        #expect(try remaining(ledger, "2026-11-21 13:00") == [500, 1000, 1400])
        #expect(try remaining(ledger, "2026-12-01 13:00") == [500, 1000, 3000])
        #expect(try remaining(ledger, "2099-05-01 13:00") == [500, 1000, 3000])
    }

    @Test func `many false days ahead do not push out the present month`() throws {
        var ledger = try ledger((900, "2026-11-19 12:00"))
        for day in 10..<40 { ledger.charge(10, at: try utc("2099-05-10 12:00") + Double(day) * 86_400) }
        #expect(try remaining(ledger, "2026-11-20 13:00")[2] == 3000 - 900 - 300)
    }

    @Test func `a clock that is not set yet uses the last day of the ledger`() throws {
        var ledger = try ledger((900, "2026-11-19 12:00"), (600, "2026-11-20 12:00"))
        #expect(try remaining(ledger, "1970-01-01 00:00") == [400, 400, 1500])
        ledger.settle(at: try utc("1970-01-01 00:00"))
        ledger.charge(50, at: try utc("1970-01-01 00:00"))
        #expect(try remaining(ledger, "2026-11-20 13:00") == [350, 350, 1450])
        #expect(try remaining(ledger, "2026-11-21 13:00") == [500, 1000, 1450])
    }

    @Test func `the ledger is bounded`() throws {
        var ledger = BudgetLedger()
        for day in 0..<1000 { ledger.charge(1, at: try utc("2026-01-01 12:00") + Double(day) * 86_400) }
        #expect(try JSONEncoder().encode(ledger).count < 4096)
        // The last one was 2028-09-26; a month of 31 days is whole.
        #expect(try remaining(ledger, "2028-09-26 13:00", resetDay: 27)[2] == 3000 - 31)
    }

    @Test func `a stored ledger is read back, and a damaged one never traps`() throws {
        let ledger = try ledger((900, "2026-11-19 12:00"), (600, "2026-11-20 12:00"))
        let written = try JSONEncoder().encode(ledger)
        #expect(try JSONDecoder().decode(BudgetLedger.self, from: written) == ledger)

        let extremes = #"{"entries":[{"day":\#(Int.max),"bytes":7},{"day":\#(Int.min),"bytes":7},{"day":0,"bytes":7}]}"#
        for seconds in [-Double.infinity, 0, 1e12, .infinity, .nan] {
            var damaged = try JSONDecoder().decode(BudgetLedger.self, from: Data(extremes.utf8))
            let date = Date(timeIntervalSince1970: seconds)
            _ = damaged.remaining(budget, at: date)
            damaged.charge(1, at: date)
            _ = damaged.remaining(budget, at: date)
        }
    }
}
