import FoundationEssentials
import Glibc
import MicroHTTP
import StrictYAML

/// JSON as this server writes it: keys sorted, slashes bare, dates in RFC 3339, the unknown as `null`.
enum JSONDocument {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        // Only a number that is not finite could fail, and no document holds one.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("null".utf8)
    }

    /// nil for what was not written by `encode`, or by another version of it.
    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? decoder.decode(type, from: Data(text.utf8))
    }
}

extension Encodable {
    /// This document as the server writes JSON.
    var json: [UInt8] { JSONDocument.encode(self) }
}

extension Response {
    /// An error: `{"error":"…"}`, or the message as a line of text.
    static func error(_ message: String, status: Int, asJSON isJSON: Bool = true) -> Response {
        isJSON
            ? .json(Array("{\"error\":\(JSONText.quoted(message))}".utf8), status: status)
            : .text(message + "\n", status: status)
    }
}

/// An optional that is written as `null`, where the default is to leave its key out.
// A wrapper's synthesized initializer is not taken by those of the types that use it, so it is written.
// swift-format-ignore: UseSynthesizedInitializer
@propertyWrapper
struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension Nullable: Decodable where Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(wrappedValue: container.decodeNil() ? nil : try container.decode(Value.self))
    }
}

extension Nullable: Equatable where Value: Equatable {}

/// Numbers with the digits that were measured, without those of the arithmetic.
extension Double {
    /// The nearest number with so many decimal places.
    func rounded(toPlaces places: Int) -> Double {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (self * scale).rounded()
        // Past the range of a double there are no decimals to round.
        return scaled.isFinite ? scaled / scale : self
    }

    /// Seconds, to microseconds: nothing here is timed more finely.
    var toMicroseconds: Double { rounded(toPlaces: 6) }

    /// A rate or a ratio, to five significant digits.
    var toFiveDigits: Double {
        guard isFinite, self != 0 else { return self }
        return rounded(toPlaces: max(0, 4 - Int(log10(magnitude).rounded(.down))))
    }
}
