/// Writes the parts of both formats into memory that was reserved for a whole family.
extension OutputSpan<UInt8> {
    mutating func append(_ text: String) { append(text.utf8.span) }

    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { source in
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
        // Nearly always; many bytes are compared at once.
        guard bytes.hasEscapes else { return append(text) }
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
        if labels.text.isEmpty, bound == nil { return }
        append(ascii: "{")
        append(labels.text.span)
        if let bound {
            append(labels.text.isEmpty ? "le=\"" : ",le=\"")
            append(bound)
            append(ascii: "\"")
        }
        append(ascii: "}")
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
        // The digits from the last to the first: the compiler has a multiplication for a division by a constant.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var (rest, first) = (magnitude, 20)
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in first..<20 { append(digits[index]) }
    }
}

extension Span<UInt8> {
    /// Whether there is a backslash, a line feed or a quote.
    var hasEscapes: Bool {
        // Without a branch, so that the compiler uses vectors.
        var found: UInt8 = 0
        for index in indices {
            found |= self[index] == UInt8(ascii: "\\") ? 1 : 0
            found |= self[index] == UInt8(ascii: "\n") ? 1 : 0
            found |= self[index] == UInt8(ascii: "\"") ? 1 : 0
        }
        return found != 0
    }
}
