/// Days of the week as numbers: 0 is Sunday, 6 Saturday.
enum Weekday {
    static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// Of a day so many days after 1970-01-01, which was a Thursday.
    static func ofDay(_ number: Int) -> Int { ((number % 7) + 11) % 7 }

    /// Of a name of three letters, in any case.
    static func named(_ text: some StringProtocol) -> Int? { names.firstIndex(of: text.lowercased()) }
}
