/// The values of one of the five fields of a cron expression.
struct CronField: Sendable, Equatable {
    enum Kind: String {
        case minute, hour
        case dayOfMonth = "day of month"
        case month
        case dayOfWeek = "day of week"

        var range: ClosedRange<Int> {
            switch self {
            case .minute: 0...59
            case .hour: 0...23
            case .dayOfMonth: 1...31
            case .month: 1...12
            case .dayOfWeek: 0...7
            }
        }

        func named(_ text: Substring) -> Int? {
            switch self {
            case .month: Self.months.firstIndex(of: text.lowercased()).map { $0 + 1 }
            case .dayOfWeek: Weekday.named(text)
            default: nil
            }
        }

        private static let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
    }

    /// In order; Sunday is 0.
    let values: [Int]
    /// It begins with `*`, also as in `*/2`: crontab(5) calls other fields restricted.
    let isStar: Bool

    init(_ text: Substring, _ kind: Kind) throws(CronError) {
        var found: Set<Int> = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            for value in try Self.values(of: item, kind) {
                found.insert(kind == .dayOfWeek ? value % 7 : value)
            }
        }
        values = found.sorted()
        isStar = text.first == "*"
    }

    /// Parses `*`, `2`, `mon`, `1-5`, and steps of the first and the last (`*/10`, `8-18/2`).
    private static func values(of item: Substring, _ kind: Kind) throws(CronError) -> StrideThrough<Int> {
        let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let range = try range(parts[0], kind)
        guard parts.count == 2 else { return stride(from: range.lowerBound, through: range.upperBound, by: 1) }
        guard parts[0] == "*" || parts[0].contains("-") else {
            throw CronError(
                field: kind.rawValue,
                message: "\"\(item)\": a step follows * or a range, as in */10 or 8-18/2"
            )
        }
        guard let step = number(parts[1]), step > 0 else {
            throw CronError(field: kind.rawValue, message: "\"\(item)\": the step is a whole number from 1 on")
        }
        return stride(from: range.lowerBound, through: range.upperBound, by: step)
    }

    private static func range(_ text: Substring, _ kind: Kind) throws(CronError) -> ClosedRange<Int> {
        if text == "*" { return kind.range }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(ends[0], kind)
        guard ends.count == 2 else { return first...first }
        var last = try value(ends[1], kind)
        if kind == .dayOfWeek && last == 0 { last = 7 }  // mon-sun
        guard first <= last else {
            throw CronError(
                field: kind.rawValue,
                message: "\"\(text)\": a range goes from the lower to the higher value"
            )
        }
        return first...last
    }

    private static func value(_ text: Substring, _ kind: Kind) throws(CronError) -> Int {
        if let value = kind.named(text) { return value }
        guard let value = number(text), kind.range.contains(value) else {
            let names = kind == .month ? " or jan-dec" : kind == .dayOfWeek ? " or sun-sat" : ""
            let range = "\(kind.range.lowerBound)-\(kind.range.upperBound)"
            throw CronError(field: kind.rawValue, message: "\"\(text)\" where \(range)\(names) is expected")
        }
        return value
    }

    /// Digits only: Int would accept a sign.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}
