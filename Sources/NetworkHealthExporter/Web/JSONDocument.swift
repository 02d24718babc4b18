import FoundationEssentials
import Glibc
import MicroHTTP
import Negotiation
import StrictYAML

/// JSON as this server writes it: keys sorted, slashes not escaped, dates in RFC 3339, unknown values as `null`.
enum JSONDocument {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        // Only a number that is not finite could fail, and no document has one.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("null".utf8)
    }

    /// nil for text that `encode`, in this or a compatible version, did not write.
    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? decoder.decode(type, from: Data(text.utf8))
    }
}

extension Request {
    /// All values of `Accept`, as one.
    var accept: String { headers.values("Accept").joined(separator: ",") }
}

extension JSONDocument {
    /// Whether an `Accept` header names JSON with a higher weight than text; `*/*` alone means text.
    static func isPreferred(by accept: String) -> Bool {
        guard !accept.isEmpty else { return false }
        let ranges = AcceptedValue.list(accept)
        func weight(_ types: Set<String>) -> Double? {
            ranges.filter { types.contains($0.name) }.map { $0.weight ?? 1 }.max()
        }
        // The more specific range counts (RFC 9110, section 12.5.1).
        let json = weight(["application/json"]) ?? weight(["application/*"]) ?? 0
        return json > (weight(["text/plain", "text/*", "text/html"]) ?? 0)
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

/// An optional that is written as `null`; the default is to omit its key.
// The memberwise initialisers of types that use the wrapper need this one written out.
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

extension KeyedDecodingContainer {
    /// A key that is missing is unknown, too: an exporter of another version may not have it.
    func decode<Value: Decodable>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        try decodeIfPresent(type, forKey: key) ?? Nullable(wrappedValue: nil)
    }
}

extension Nullable: Equatable where Value: Equatable {}

/// Numbers rounded to the precision of the measurement.
extension Double {
    /// The nearest number with this many decimal places.
    func rounded(toPlaces places: Int) -> Double {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (self * scale).rounded()
        // A number beyond this range has no decimals to round.
        return scaled.isFinite ? scaled / scale : self
    }

    /// Seconds, to microseconds.
    var toMicroseconds: Double { rounded(toPlaces: 6) }

    /// A rate or a ratio, to five significant digits.
    var toFiveDigits: Double {
        guard isFinite, self != 0 else { return self }
        return rounded(toPlaces: max(0, 4 - Int(log10(magnitude).rounded(.down))))
    }
}
