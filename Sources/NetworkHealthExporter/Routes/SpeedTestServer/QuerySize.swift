import MicroHTTP
import StrictYAML

extension Request {
    /// A size in the query, in bytes or with a unit (`64MB`); more than fits is as much as fits, and nil is none.
    func size(_ name: String) -> UInt64? {
        guard let text = queryValue(name), !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
            return ByteSizeText.parse(text).map { UInt64($0) }
        }
        return UInt64(text) ?? .max
    }

    /// The answer to a size that is none; nil where it is one, or absent.
    func refusal(ofSize name: String) -> Response? {
        guard queryValue(name) != nil, size(name) == nil else { return nil }
        return .text("\(name): expected a number of bytes, or \(ByteSizeText.expectation)\n", status: 400)
    }
}
