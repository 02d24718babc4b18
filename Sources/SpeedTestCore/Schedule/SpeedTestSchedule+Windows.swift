import FoundationEssentials

extension SpeedTestSchedule {
    func isOpen(at date: Date) -> Bool {
        guard !windows.isEmpty else { return true }
        let time = LocalTime(date)
        return windows.contains { $0.contains(time) }
    }

    /// The date itself where it lies in a window, else when the next one opens.
    func opening(from date: Date) -> Date {
        if isOpen(at: date) { return date }
        let today = LocalTime(date).day
        // The hour that a change leaves out may swallow a whole window, so look further than a week.
        for number in today...today + 21 {
            let day = LocalDay(number)
            let openings = windows.flatMap { day.instants(of: $0.start) } + (day.change.map { [$0] } ?? [])
            let dates = openings.map { Date(secondsSince1970: $0) }
            if let next = dates.filter({ $0 > date && isOpen(at: $0) }).min() { return next }
        }
        return date
    }
}
