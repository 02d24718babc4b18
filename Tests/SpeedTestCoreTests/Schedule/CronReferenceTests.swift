import Foundation
import Lab
import SpeedTestCore
import Testing

/// The expressions' times against a cron that lives minute by minute, on Foundation's calendar instead of libc's.
@Suite struct CronReferenceTests {
    init() { Berlin.zone }

    @Test(arguments: ["2026-03-28 12:00", "2026-10-24 12:00"])
    func `through both clock changes, times are those of a simulated cron`(start: String) throws {
        let start = try utc(start)
        let minutes = try Self.minutes(from: start, count: 2 * 1440)
        var random = SplitMix64(state: 5)
        for _ in 0..<30 {
            let job = Job(using: &random)
            let cron = try CronExpression(job.text)
            var expected = job.runs(in: minutes)[...]
            var time = start
            while let next = cron.next(after: time), next <= minutes[minutes.count - 1].instant {
                #expect(next == expected.first, "\(job.text) after \(time)")
                guard next == expected.popFirst() else { return }
                time = next
            }
            #expect(expected.isEmpty, "\(job.text)")
        }
    }

    /// What a clock on the wall shows from an instant on.
    private struct Minute {
        var instant: Date
        var minute: Int
        var hour: Int
        var day: Int
        /// 0 is Sunday.
        var weekday: Int
        /// The clock's reading as a number, which goes back where clocks do.
        var reading: Int
    }

    private static func minutes(from start: Date, count: Int) throws -> [Minute] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        return (1...count).map { index in
            let instant = start + Double(index) * 60
            let fields = calendar.dateComponents([.minute, .hour, .day, .weekday], from: instant)
            let (minute, hour, day) = (fields.minute ?? -1, fields.hour ?? -1, fields.day ?? -1)
            let reading = (day * 24 + hour) * 60 + minute
            return Minute(
                instant: instant,
                minute: minute,
                hour: hour,
                day: day,
                weekday: (fields.weekday ?? 0) - 1,
                reading: reading
            )
        }
    }

    /// A random job with a few minutes, hours and weekdays.
    private struct Job {
        var text: String
        var minutes: Set<Int>
        var hours: Set<Int>
        var weekdays: Set<Int>
        var isWildcard: Bool

        init(using random: inout SplitMix64) {
            func field(_ range: Range<Int>, _ random: inout SplitMix64) -> (text: String, values: Set<Int>) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: return ("*", Set(range))
                case 1:
                    let step = Int.random(in: 1...range.count, using: &random)
                    return ("*/\(step)", Set(stride(from: 0, to: range.upperBound, by: step)))
                case 2:
                    let values = (0..<3).map { _ in Int.random(in: range, using: &random) }
                    return (values.map(String.init).joined(separator: ","), Set(values))
                default:
                    let first = Int.random(in: range, using: &random)
                    let last = Int.random(in: first..<range.upperBound, using: &random)
                    return ("\(first)-\(last)", Set(first...last))
                }
            }
            let step = Int.random(in: 10...40, using: &random)
            let some = Set((0..<3).map { _ in Int.random(in: 0..<60, using: &random) })
            let minute =
                Bool.random(using: &random)
                ? ("*/\(step)", Set(stride(from: 0, to: 60, by: step)))
                : (some.sorted().map(String.init).joined(separator: ","), some)
            // Where clocks change, mostly.
            let hour = field(0..<(Bool.random(using: &random) ? 4 : 24), &random)
            let weekday = field(0..<7, &random)
            // A star is the whole day.
            let isWholeDay = hour.text.hasPrefix("*")
            text =
                "\(minute.0) \(isWholeDay ? "*" : hour.text) * * \(weekday.text.hasPrefix("*") ? "*" : weekday.text)"
            minutes = minute.1
            hours = isWholeDay ? Set(0..<24) : hour.values
            weekdays = weekday.text.hasPrefix("*") ? Set(0..<7) : weekday.values
            isWildcard = isWholeDay || minute.0.hasPrefix("*")
        }

        func matches(_ minute: Minute) -> Bool {
            minutes.contains(minute.minute) && hours.contains(minute.hour) && weekdays.contains(minute.weekday)
        }

        /// As cron(8) lives it: it wakes up each minute; wildcard jobs see the clock, the others each reading once.
        func runs(in shown: [Minute]) -> [Date] {
            var runs: [Date] = []
            var latest = shown[0].reading - 1
            for minute in shown {
                if isWildcard {
                    if matches(minute) { runs.append(minute.instant) }
                } else if minute.reading > latest {
                    let readings = (latest + 1)...minute.reading
                    let isDue = readings.contains { reading in
                        minutes.contains(reading % 60) && hours.contains(reading / 60 % 24)
                            && weekdays.contains(minute.weekday)
                    }
                    if isDue { runs.append(minute.instant) }
                    latest = minute.reading
                }
            }
            return runs
        }
    }
}
