import SpeedTestCore
import Testing

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

    @Test func `a warm-up leaves two thirds to measure with`() {
        #expect(SpeedTestBudget.warmUp(of: 250_000_000) == 83_333_333)
    }
}
