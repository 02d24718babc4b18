import Foundation
import Testing

@testable import NetworkHealthExporter

struct LogLineTests {
    @Test(arguments: [
        ("plain", "plain"), ("", #""""#), ("two words", #""two words""#), ("a=b", #""a=b""#),
        (#"say "hi""#, #""say \"hi\"""#), ("tab\there", #""tab\there""#), ("line\nfeed", #""line\nfeed""#),
        ("carriage\rreturn", #""carriage\rreturn""#), ("bell\u{7}", #""bell\u0007""#), ("del\u{7f}", #""del\u007f""#),
        ("127.0.0.1:80", "127.0.0.1:80"), ("C:\\dir", "C:\\dir"), ("a \\ b", #""a \\ b""#), ("Zürich", "Zürich"),
        ("emoji 🌍", "\"emoji 🌍\""), ("csi\u{9b}2J", #""csi\u009b2J""#), ("nel\u{85}", #""nel\u0085""#),
        ("\u{a0}", "\u{a0}"), ("\u{61b}\u{200d}\u{202f}", "\u{61b}\u{200d}\u{202f}"),
    ])
    func `quotes a logfmt value only where it must`(value: String, expected: String) {
        #expect(LogLine.text([("msg", value)], as: .logfmt) == "msg=\(expected)\n")
    }

    @Test(arguments: [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])
    func `what changes the direction of text is escaped`(value: UInt32) throws {
        let text = "admin\(Character(try #require(Unicode.Scalar(value))))nimda"
        let escape = "\\u" + (value < 0x1000 ? "0" : "") + String(value, radix: 16)
        #expect(LogLine.text([("msg", text)], as: .logfmt) == "msg=\"admin\(escape)nimda\"\n")
        #expect(LogLine.text([(text, "x")], as: .json) == "{\"admin\(escape)nimda\":\"x\"}\n")
    }

    @Test func `joins fields in their order`() {
        let fields = [("time", "t"), ("msg", "a b"), ("z", "1"), ("a", "2")]
        #expect(LogLine.text(fields, as: .logfmt) == "time=t msg=\"a b\" z=1 a=2\n")
        #expect(LogLine.text(fields, as: .json) == #"{"time":"t","msg":"a b","z":"1","a":"2"}"# + "\n")
    }

    @Test func `every character comes back from its JSON`() throws {
        var text = (0...0x20).compactMap(Unicode.Scalar.init).map(String.init).joined()
        text += "\"\\/\u{7f}\u{80}\u{2028}é漢🌍\u{feff}\u{10ffff}"
        let line = LogLine.text([(text, text)], as: .json)
        #expect(line.utf8.count { $0 == 0x0a } == 1 && line.hasSuffix("}\n"), "one line for one event")
        let decoded = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(decoded == [text: text])
    }

    @Test func `lines for a terminal keep their ends, and no control character`() throws {
        #expect(JSONText.visible("a\tb\nc\u{1b}[2J\r\u{9b}\u{202e}é") == "a\tb\nc\\u001b[2J\\u000d\\u009b\\u202eé")
        let json = JSONText.visible("[\"\u{85}\u{202e}\"]\n")
        let decoded = try JSONDecoder().decode([String].self, from: Data(json.utf8))
        #expect(decoded == ["\u{85}\u{202e}"])
    }

    @Test func `control characters are escaped with four digits`() {
        #expect(JSONText.quoted("\u{0}\u{1f}") == #""\u0000\u001f""#)
    }
}
