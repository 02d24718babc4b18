import FoundationEssentials
import Lab
import SpeedTestCore

/// A scheduler, its clock, and a shell that asks as a real one does.
struct Simulation {
    var scheduler: SpeedTestScheduler
    var random = SplitMix64(state: 20_261_121)
    var now: Date
    var conditions = SpeedTestConditions()

    init(
        _ schedule: SpeedTestSchedule,
        memory: SpeedTestScheduler.Memory = .init(),
        isFirst: Bool = false,
        firstDelay: Duration? = nil,
        now: Date
    ) {
        self.now = now
        scheduler = SpeedTestScheduler(
            schedule: schedule,
            memory: memory,
            isFirst: isFirst,
            firstDelay: firstDelay,
            now: now,
            using: &random
        )
    }

    mutating func decide(at date: Date) -> SpeedTestDecision {
        now = date
        return scheduler.decide(now: date, conditions: conditions, using: &random)
    }

    mutating func start(at date: Date, pace: BudgetPace = BudgetPace()) {
        now = date
        scheduler.started(at: date, pace: pace, using: &random)
    }

    mutating func end(at date: Date, hasSucceeded: Bool, pace: BudgetPace = BudgetPace()) {
        now = date
        scheduler.ended(at: date, hasSucceeded: hasSucceeded, pace: pace, using: &random)
    }

    /// Lives until a run starts, and starts it.
    ///
    /// Thousands of runs take many seconds on a busy machine, in which loads of other tests need a thread of the pool
    /// every few milliseconds.
    ///
    /// - Returns: When, and what was skipped before.
    mutating func nextStart() async -> (start: Date, skipped: [SkipReason]) {
        await Task.yield()
        var skipped: [SkipReason] = []
        while true {
            switch decide(at: max(now, scheduler.nextRun)) {
            case .wait: continue
            case .skip(let reason): skipped.append(reason)
            case .run:
                start(at: now)
                return (now, skipped)
            }
        }
    }
}

extension SpeedTestSchedule {
    /// A grid without chance.
    static func every(_ interval: Duration, minGap: Duration = .seconds(600)) -> SpeedTestSchedule {
        var schedule = SpeedTestSchedule()
        schedule.rhythm = .interval(interval)
        schedule.jitter = .zero
        schedule.minGap = minGap
        return schedule
    }

    static func cron(_ text: String, jitter: Duration = .zero) throws -> SpeedTestSchedule {
        var schedule = SpeedTestSchedule()
        schedule.rhythm = .cron(try CronExpression(text))
        schedule.jitter = jitter
        return schedule
    }
}
