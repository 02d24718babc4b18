/// Writes the parts of both formats into memory that was reserved for a whole family.
extension OutputSpan<UInt8> {
    mutating func append(_ text: String) {
        text.utf8.span.withUnsafeBufferPointer { source in
            precondition(source.count <= freeCapacity, "the room reserved for a family is too small")
            withUnsafeMutableBufferPointer { buffer, count in
                _ = buffer[count...].initialize(fromContentsOf: source)
                count += source.count
            }
        }
    }

    mutating func append(ascii character: Unicode.Scalar) {
        append(UInt8(ascii: character))
    }

    /// Appends outside text with backslashes, line feeds and, where they would end it, quotes escaped.
    mutating func appendEscaped(_ text: String, quotes: Bool) {
        let bytes = text.utf8.span
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                append(ascii: "\\")
                append(ascii: "\\")
            case UInt8(ascii: "\n"):
                append(ascii: "\\")
                append(ascii: "n")
            case UInt8(ascii: "\"") where quotes:
                append(ascii: "\\")
                append(ascii: "\"")
            case let byte:
                append(byte)
            }
        }
    }

    /// Appends `{name="value",…}`, or nothing without labels; a bucket's bound comes last.
    mutating func append(_ labels: Labels, bound: String? = nil) {
        let pairs = labels.pairs.span
        for index in pairs.indices {
            append(ascii: index == 0 ? "{" : ",")
            append(pairs[index].name)
            append(ascii: "=")
            append(ascii: "\"")
            appendEscaped(pairs[index].value, quotes: true)
            append(ascii: "\"")
        }
        if let bound {
            append(ascii: pairs.isEmpty ? "{" : ",")
            append("le=\"")
            append(bound)
            append(ascii: "\"")
            append(ascii: "}")
        } else if !pairs.isEmpty {
            append(ascii: "}")
        }
    }

    /// Appends a space, the number, the time where one is given, and the end of the line.
    mutating func append(_ value: MetricValue, at milliseconds: Int64? = nil) {
        append(ascii: " ")
        switch value {
        case .unsigned(let number): append(magnitude: number, isNegative: false)
        case .signed(let number): append(magnitude: number.magnitude, isNegative: number < 0)
        case .double(let number): append(number)
        }
        if let milliseconds { append(timestamp: milliseconds) }
        append(ascii: "\n")
    }

    /// Appends a space and the seconds since 1970, with three decimals where they are no whole ones.
    private mutating func append(timestamp milliseconds: Int64) {
        append(ascii: " ")
        append(magnitude: milliseconds.magnitude / 1000, isNegative: milliseconds < 0)
        let rest = milliseconds.magnitude % 1000
        guard rest != 0 else { return }
        append(ascii: ".")
        for digit in [rest / 100, rest / 10 % 10, rest % 10] { append(UInt8(ascii: "0") + UInt8(digit)) }
    }

    private mutating func append(_ number: Double) {
        // Up to 2^53 every whole double is its integer, without an exponent and quicker to print.
        if number.magnitude <= 9_007_199_254_740_992, number == number.rounded(.towardZero) {
            append(magnitude: UInt64(number.magnitude), isNegative: number.sign == .minus)
        } else if number.isNaN {
            append("NaN")
        } else if number.isInfinite {
            append(number < 0 ? "-Inf" : "+Inf")
        } else {
            append(number.description)
        }
    }

    private mutating func append(magnitude: UInt64, isNegative: Bool) {
        if isNegative {
            append(ascii: "-")
        }
        var divisor: UInt64 = 1
        while magnitude / divisor >= 10 {
            divisor *= 10
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
            divisor /= 10
        }
    }
}
