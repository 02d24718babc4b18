import FoundationEssentials

/// Reads `2026-11-21 12:00:00 GMT`, to which `HTTPDate` brings each form of a date.
enum NumericDate {
    /// - Returns: nil for every other form, and for a day that no calendar has.
    static func parse(_ text: RawSpan) -> Date? {
        guard text.byteCount == 23, matches(text, from: 19, " GMT"),
            matches(text, from: 4, "-"), matches(text, from: 7, "-"), matches(text, from: 10, " "),
            matches(text, from: 13, ":"), matches(text, from: 16, ":"),
            let year = number(text, 0..<4), let month = number(text, 5..<7), let day = number(text, 8..<10),
            let hour = number(text, 11..<13), let minute = number(text, 14..<16), let second = number(text, 17..<19),
            (1...12).contains(month), hour < 24, minute < 60, second < 60,
            (1...daysInMonth(month, year: year)).contains(day)
        else { return nil }
        let seconds = ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func matches(_ text: RawSpan, from start: Int, _ expected: StaticString) -> Bool {
        (0..<expected.utf8CodeUnitCount).allSatisfy { index in
            text.unsafeLoad(fromByteOffset: start + index, as: UInt8.self) == expected.utf8Start[index]
        }
    }

    private static func number(_ text: RawSpan, _ range: Range<Int>) -> Int? {
        var value = 0
        for offset in range {
            let digit = text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days of the proleptic Gregorian calendar; the year begins in March, so that the leap day ends it.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        // `shifted` is -1 at least, for January of the year 0.
        let era = (shifted + 400) / 400 - 1
        let yearOfEra = shifted - era * 400
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Reads a date, for the fuzzer; an accepted one must be written as it was read.
///
/// - Returns: whether it was accepted.
package func fuzzNumericDate(_ bytes: [UInt8]) -> Bool {
    guard let date = NumericDate.parse(bytes.span.bytes) else { return false }
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
    // `2026-11-21 12:00:00Z`; before 1583 the style writes the Julian calendar.
    let isWritten =
        date.timeIntervalSince1970 < -12_212_553_600
        || date.formatted(style).utf8.elementsEqual(bytes.prefix(19) + [UInt8(ascii: "Z")])
    precondition(isWritten)
    return true
}
