/// A day of the Gregorian calendar.
package struct CalendarDate: Sendable, Equatable {
    package let year: Int
    /// 1…12.
    package let month: Int
    /// 1…31.
    package let day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    // Both ways count in years that begin in March, so that a leap day is the last one, and in eras of 400 years, each
    // 146,097 days long (Howard Hinnant, "chrono-compatible low-level date algorithms").

    /// The day so many days after 1970-01-01.
    package init(number: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01.
    package var number: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Days of the week as numbers: 0 is Sunday, 6 Saturday.
package enum Weekday {
    static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// Of a day so many days after 1970-01-01, which was a Thursday.
    package static func ofDay(_ number: Int) -> Int { ((number % 7) + 11) % 7 }

    /// Of a name of three letters, in any case.
    static func named(_ text: some StringProtocol) -> Int? { names.firstIndex(of: text.lowercased()) }
}
