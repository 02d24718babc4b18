extension YAMLType where Value == String {
    /// Any text; numbers and truth values count as the text that they are.
    package static var string: YAMLType { .text("a text") { $0 } }

    /// A text that is not empty.
    package static var nonEmptyString: YAMLType { .text("a text that is not empty") { $0.isEmpty ? nil : $0 } }

    /// A text that a function accepts, perhaps in another spelling.
    package static func text(_ expectation: String, parse: @escaping (String) -> String?) -> YAMLType {
        text(anyOf: [expectation], parse: parse, write: YAMLText.quoted)
    }
}

extension YAMLType where Value == Bool {
    /// `true` or `false`, and none of the other spellings of YAML 1.1.
    package static var bool: YAMLType {
        .plain(["true", "false"], hint: " (other spellings, such as yes and on, are not taken)") { text in
            switch text {
            case "true": true
            case "false": false
            default: nil
            }
        }
    }
}

extension YAMLType where Value: FixedWidthInteger {
    /// A whole number without leading zeros: YAML 1.1 reads those as octal.
    package static func int(in range: ClosedRange<Value> = Value.min...Value.max) -> YAMLType {
        .plain(["a whole number\(bounds(range.lowerBound, range.upperBound, Value.min, Value.max))"]) { text in
            guard let number = Value(text), range.contains(number) else { return nil }
            return String(number) == text ? number : nil
        }
    }

    /// A size in bytes.
    package static var byteSize: YAMLType {
        .text(
            ByteSizeText.expectation,
            parse: { ByteSizeText.parse($0).flatMap(Value.init(exactly:)) },
            write: { .plain(ByteSizeText.format(Int(clamping: $0))) }
        )
    }

    /// A rate in bits per second.
    package static var bitRate: YAMLType {
        .text(
            BitRateText.expectation,
            parse: { BitRateText.parse($0).flatMap(Value.init(exactly:)) },
            write: { .plain(BitRateText.format(Int(clamping: $0))) }
        )
    }
}

extension YAMLType where Value == Double {
    /// A finite number.
    package static func double(
        in range: ClosedRange<Double> = -.greatestFiniteMagnitude ... .greatestFiniteMagnitude
    ) -> YAMLType {
        let limit = Double.greatestFiniteMagnitude
        return .plain(["a number\(bounds(range.lowerBound, range.upperBound, -limit, limit))"]) { text in
            DecimalText.parse(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A ratio from 0 to 1.
    package static var ratio: YAMLType {
        .text(RatioText.expectation, parse: RatioText.parse, write: { .plain("\($0)") })
    }
}

extension YAMLType where Value == Duration {
    /// A duration, 0 included.
    package static var duration: YAMLType { duration(DurationText.expectation) { _ in true } }

    /// A duration between limits.
    package static func duration(in range: ClosedRange<Duration>) -> YAMLType {
        let limits = "from \(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
        return duration("\(DurationText.expectation) \(limits)", range.contains)
    }

    private static func duration(_ expectation: String, _ test: @escaping (Duration) -> Bool) -> YAMLType {
        .text(
            expectation,
            parse: { DurationText.parse($0).flatMap { test($0) ? $0 : nil } },
            write: { .plain(DurationText.format($0)) }
        )
    }
}

extension YAMLType where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of an enumeration's cases; an error lists them.
    package static var oneOf: YAMLType { oneOf(Array(Value.allCases)) }

    /// One of some of the cases.
    package static func oneOf(_ cases: [Value]) -> YAMLType {
        .text(
            anyOf: cases.map(\.rawValue),
            parse: { text in cases.first { $0.rawValue == text } },
            write: { .plain($0.rawValue) }
        )
    }
}

/// ` from 1 to 65535`, ` of at least 1`, ` of at most 5` or nothing, as the limits say.
private func bounds<Number: Equatable>(_ lower: Number, _ upper: Number, _ min: Number, _ max: Number) -> String {
    switch (lower == min, upper == max) {
    case (true, true): ""
    case (true, false): " of at most \(upper)"
    case (false, true): " of at least \(lower)"
    case (false, false): " from \(lower) to \(upper)"
    }
}
