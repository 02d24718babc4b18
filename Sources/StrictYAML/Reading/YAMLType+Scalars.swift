extension YAMLType where Value == String {
    /// Any text; numbers and truth values count as the text that they are.
    package static var string: YAMLType { .text("a text", parse: { $0 }) }

    /// A text that is not empty.
    package static var nonEmptyString: YAMLType { .text("a text that is not empty") { $0.isEmpty ? nil : $0 } }
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

extension YAMLType where Value == Int {
    /// A whole number without leading zeros: YAML 1.1 reads those as octal.
    package static func int(in range: ClosedRange<Int> = Int.min...Int.max) -> YAMLType {
        .plain(["a whole number\(bounds(range.lowerBound, range.upperBound, Int.min, Int.max))"]) { text in
            guard let number = Int(text), range.contains(number) else { return nil }
            return String(number) == text ? number : nil
        }
    }

    /// A size in bytes.
    package static var byteSize: YAMLType { .text(ByteSizeText.expectation, parse: ByteSizeText.parse) }

    /// A rate in bits per second.
    package static var bitRate: YAMLType { .text(BitRateText.expectation, parse: BitRateText.parse) }
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
    package static var ratio: YAMLType { .text(RatioText.expectation, parse: RatioText.parse) }
}

extension YAMLType where Value == Duration {
    /// A duration, 0 included.
    package static var duration: YAMLType { .text(DurationText.expectation, parse: DurationText.parse) }

    /// A duration between limits.
    package static func duration(in range: ClosedRange<Duration>) -> YAMLType {
        let limits = "from \(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
        return .text("\(DurationText.expectation) \(limits)") { text in
            DurationText.parse(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension YAMLType where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of an enumeration's cases; an error lists them.
    package static var oneOf: YAMLType {
        .text(anyOf: Value.allCases.map(\.rawValue), parse: Value.init)
    }
}

extension YAMLType {
    /// A keyword such as `auto` or `never`, which is nil, or a value.
    package static func keyword<Wrapped>(_ keyword: String, or type: YAMLType<Wrapped>) -> YAMLType
    where Value == Wrapped? {
        let expectations = [keyword] + type.expectations
        return YAMLType(expectations: expectations) { cursor throws(YAMLError) in
            if try cursor.scalar(expecting: alternatives(expectations)).text == keyword { return nil }
            do throws(YAMLError) {
                return try type.read(cursor)
            } catch {
                // Of the expectations, the keyword is one too.
                guard error.message.hasPrefix("expected \(alternatives(type.expectations)), ") else { throw error }
                throw cursor.mismatch(alternatives(expectations))
            }
        }
    }
}

/// ` from 1 to 65535`, ` of at least 1`, ` of at most 5` or nothing, as the limits say.
private func bounds<Number: Equatable>(_ lower: Number, _ upper: Number, _ least: Number, _ most: Number) -> String {
    switch (lower == least, upper == most) {
    case (true, true): ""
    case (true, false): " of at most \(upper)"
    case (false, true): " of at least \(lower)"
    case (false, false): " from \(lower) to \(upper)"
    }
}
