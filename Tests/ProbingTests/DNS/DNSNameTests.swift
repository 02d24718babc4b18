import Testing

@testable import Probing

struct DNSNameTests {
    private static let longLabel = String(repeating: "a", count: 63)
    /// 255 bytes with the lengths and the zero.
    private static let longName = [longLabel, longLabel, longLabel, String(repeating: "b", count: 61)]
        .joined(separator: ".")

    @Test(arguments: ["example.com", "example.com.", "EXAMPLE.Com"])
    func `is the same with a dot at its end and in any case`(_ text: String) throws {
        #expect(try DNSName(text).bytes == [7] + Array("example".utf8) + [3] + Array("com".utf8) + [0])
    }

    @Test(arguments: ["localhost", "_dmarc.example.com", "xn--bcher-kva.example", "1.0.0.127.in-addr.arpa", longName])
    func `Accepts names of a zone`(_ text: String) throws {
        #expect(try DNSName(text).bytes.count == text.utf8.count + 2)
    }

    @Test(arguments: [
        ("", DNSNameError.emptyLabel), (".", .emptyLabel), ("a..b", .emptyLabel), (".a", .emptyLabel),
        ("a.\(longLabel)a", .longLabel("\(longLabel)a")), ("\(longName)b", .longName),
        ("bücher.example", .invalidLabel("bücher")), ("a b", .invalidLabel("a b")), ("-a.b", .invalidLabel("-a")),
        ("a-.b", .invalidLabel("a-")), ("a\0.b", .invalidLabel("a\0")),
    ])
    func `Refuses texts that are not names`(_ text: String, _ error: DNSNameError) {
        #expect(throws: error) { try DNSName(text) }
    }
}
