/// Times as RFC 3339 writes them, as seconds since 1970.
///
/// Foundation's styles take any date and may fail on one that no calendar has; a request and a damaged file may bring one.
enum RFC3339 {
    /// The years 0 to 9999.
    private static let range = -62_167_219_200_000.0...253_402_300_799_999.0

    /// As `2026-11-21T08:00:00.123Z`, or cut to the second; beyond the years 0 to 9999 the nearest that there is.
    static func text(_ seconds: Double, milliseconds: Bool = false) -> String {
        let exact = (seconds * 1000).rounded()
        let number = exact.isNaN ? 0 : Int64(min(max(exact, range.lowerBound), range.upperBound))
        let (days, time) = number.flooredQuotient(by: 86_400_000)
        let (year, month, day) = civil(day: days)
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { digits($0, 2) }
        let fraction = milliseconds ? "." + digits(time % 1000, 3) : ""
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(clock.joined(separator: ":"))\(fraction)Z"
    }

    /// Reads `2026-11-21T08:00:00Z`, with a fraction and an offset such as `+01:00` where there is one; nil for anything
    /// else.
    ///
    /// A query has a space where a `+` was not escaped.
    static func parse(_ text: String) -> Double? {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("Tt "), let hour = reader.number(2), hour <= 23, reader.skip(":"),
            let minute = reader.number(2), minute <= 59, reader.skip(":"),
            // A leap second is the second after it, as for the kernel.
            let second = reader.number(2), second <= 60
        else { return nil }
        let date = self.day(year: year, month: month, day: day)
        guard (1...12).contains(month), civil(day: date) == (year, month, day) else { return nil }
        guard let nanoseconds = reader.skip(".") ? reader.fraction() : 0, let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let seconds = date * 86_400 + hour * 3600 + minute * 60 + second - offset
        // To the bit what the text of whole milliseconds was made from.
        return nanoseconds % 1_000_000 == 0
            ? Double(seconds * 1000 + nanoseconds / 1_000_000) / 1000
            : Double(seconds) + Double(nanoseconds) / 1e9
    }

    // Of the proleptic Gregorian calendar, counted in years from March in eras of 400 years: the leap day comes last.

    /// Days since 1970; a month or day that there is not gives another date's.
    private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredQuotient(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (day + 719_468).flooredQuotient(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

extension Int64 {
    /// The quotient rounded down and what remains, from 0 on.
    fileprivate func flooredQuotient(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads the fields of a time, one after the other.
private struct DigitReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// Whether one of these comes next, which is then behind it.
    mutating func skip(_ characters: StaticString) -> Bool {
        guard let next = rest.first, characters.withUTF8Buffer({ $0.contains(next) }) else { return false }
        rest.removeFirst()
        return true
    }

    /// A number of so many digits.
    mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        rest.removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// One digit or more, in nanoseconds; finer ones are passed over.
    mutating func fraction() -> Int64? {
        let digits = rest.prefix(while: Self.isDigit)
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        let nine = digits.prefix(9) + Array(repeating: UInt8(ascii: "0"), count: max(0, 9 - digits.count))
        return nine.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// `Z`, or hours and minutes east of it, in seconds.
    mutating func offset() -> Int64? {
        if skip("Zz") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+ "), let hours = number(2), hours <= 23, skip(":"), let minutes = number(2),
            minutes <= 59
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
