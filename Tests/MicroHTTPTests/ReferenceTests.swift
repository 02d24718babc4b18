import Foundation
import Glibc
import Lab
import Testing

@testable import MicroHTTP

/// Parsers against slower ones that were written from the standard, over random input; the seed of a failing run is in its name.
struct ReferenceTests {
    /// Written from RFC 3986 and the URL standard's form decoding, piece by piece of the text instead of byte by byte.
    @Test(arguments: [1, UInt64.random(in: 2...UInt64.max)])
    func `a target is read as a reference decoder reads it`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let alphabet = Array("aZ09%2cC3bBfF0+&=?/#é".utf8)
        for _ in 0..<50_000 {
            let count = Int.random(in: 0..<12, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            // A byte of é without the other is no text that the reference could be given.
            guard let text = String(validating: [UInt8(ascii: "/")] + bytes, as: UTF8.self) else { continue }
            let found = try? RequestTarget(decoding: Array(text.utf8))
            let expected = Self.reference(text)
            #expect(found?.path == expected?.path && found?.query == expected?.query, "\(text)")
        }
    }

    private static func reference(_ text: String) -> (path: String, query: [Request.QueryItem])? {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        func decoded(_ text: some StringProtocol) -> String? {
            let pieces = text.split(separator: "%", omittingEmptySubsequences: false)
            var bytes = Array(pieces[0].utf8)
            for piece in pieces.dropFirst() {
                let digits = piece.utf8.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ isxdigit(Int32($0)) != 0 }),
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), byte > 0
                else { return nil }
                bytes += [byte] + piece.utf8.dropFirst(2)
            }
            // What is not UTF-8 does not come back.
            let result = String(decoding: bytes, as: UTF8.self)
            return Array(result.utf8) == bytes ? result : nil
        }
        guard let path = decoded(parts[0]) else { return nil }
        var query: [Request.QueryItem] = []
        for pair in (parts.count > 1 ? parts[1] : "").replacing("+", with: " ").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : "") else { return nil }
            query.append(Request.QueryItem(name: name, value: value))
        }
        return (path, query)
    }

    @Test(arguments: [1, UInt64.random(in: 2...UInt64.max)])
    func `Escaped text is decoded to the original`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        func text() -> String {
            let scalars = (0..<Int.random(in: 0..<8, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 1...0x10_ffff, using: &random))
            }
            return String(String.UnicodeScalarView(scalars))
        }
        func escaped(_ text: String) -> String { text.utf8.map { String(format: "%%%02X", $0) }.joined() }
        for _ in 0..<5000 {
            let (path, name, value) = ("/" + text(), text(), text())
            let target = try RequestTarget(
                decoding: Array("/\(escaped(path).dropFirst(3))?\(escaped(name))=\(escaped(value))".utf8)
            )
            #expect(target.path == path && target.query == [Request.QueryItem(name: name, value: value)])
        }
    }

    @Test(arguments: [1, UInt64.random(in: 2...UInt64.max)])
    func `Fields behave like a list with lower-case names`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var headers = Headers()
        var model: [(name: String, value: String)] = []
        let names = ["Accept", "accept", "ACCEPT", "X-A", "x-a", "[", "{", "@", "`"]
        for number in 0..<20_000 {
            let name = names.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                headers[name] = nil
                model.removeAll { $0.name == name.lowercased() }
            case 1:
                headers[name] = "\(number)"
                model.removeAll { $0.name == name.lowercased() }
                model.append((name.lowercased(), "\(number)"))
            default:
                headers.add(name, "\(number)")
                model.append((name.lowercased(), "\(number)"))
            }
            let expected = model.filter { $0.name == name.lowercased() }.map(\.value)
            #expect(headers.values(name) == expected && headers[name] == expected.first)
        }
        #expect(headers.fields.map { "\($0.name.lowercased()) \($0.value)" } == model.map { "\($0.name) \($0.value)" })
    }
}
