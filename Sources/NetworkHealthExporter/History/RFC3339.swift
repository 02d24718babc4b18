import FoundationEssentials

/// Times as RFC 3339 writes them, as seconds since 1970: Foundation's ISO 8601 style, made strict.
enum RFC3339 {
    /// In milliseconds since 1970, the years 1583 to 9999: before, Foundation uses the Julian calendar.
    private static let range = -12_212_553_600_000.0...253_402_300_799_999.0

    /// As `2026-11-21T08:00:00.123Z`, or cut to the second; outside of the years 1583 to 9999 the nearest time in them.
    static func text(_ seconds: Double, milliseconds: Bool = false) -> String {
        let rounded = (seconds * 1000).rounded()
        let number = rounded.isNaN ? 0 : min(max(rounded, range.lowerBound), range.upperBound)
        // The style cuts the fraction: half a millisecond more keeps that from being one millisecond less.
        let date = Date(timeIntervalSince1970: (number + 0.5) / 1000)
        return Date.ISO8601FormatStyle(includingFractionalSeconds: milliseconds).format(date)
    }

    /// Reads `2026-11-21T08:00:00Z`, with a fraction and an offset such as `+01:00` where there is one;
    /// nil for anything else.
    ///
    /// A query has a space where a `+` was not escaped. A leap second is the second after it, as for the kernel.
    static func parse(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, "Tt ".utf8.contains(bytes[10]) else { return nil }
        var time = "\(String(decoding: bytes[..<10], as: UTF8.self))T\(String(decoding: bytes[11..<19], as: UTF8.self))"
        let isLeapSecond = time.hasSuffix(":60")
        if isLeapSecond { time = time.dropLast(2) + "59" }
        var rest = bytes[19...]
        guard let fraction = milliseconds(&rest) else { return nil }
        var zone = String(decoding: rest, as: UTF8.self)
        if zone.hasPrefix(" ") { zone = "+" + zone.dropFirst() }
        if ["z", "+00:00", "-00:00"].contains(zone) { zone = "Z" }

        // The style takes a 31st of February for a day of March, among others: the time is valid if it writes it likewise.
        let style = Date.ISO8601FormatStyle()
        guard let local = try? style.parse(time + "Z"), let date = try? style.parse(time + zone),
            let timeZone = TimeZone(secondsFromGMT: Int(local.timeIntervalSince(date))),
            Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: timeZone).format(date) == time + zone
        else { return nil }
        // To the bit what the text of whole milliseconds was made from.
        return ((date.timeIntervalSince1970 + (isLeapSecond ? 1 : 0)) * 1000 + fraction) / 1000
    }

    /// Removes a fraction of a second from the start; 0 without one, nil for one without digits.
    private static func milliseconds(_ rest: inout ArraySlice<UInt8>) -> Double? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count + 1)
        let padded = String(decoding: digits, as: UTF8.self) + "00"
        return Double("\(padded.prefix(3)).\(padded.dropFirst(3))0")
    }
}
