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
        ("\u{a0}", "\u{a0}"),
    ])
    func `quotes a logfmt value only where it must`(value: String, expected: String) {
        #expect(LogLine.text([("msg", value)], as: .logfmt) == "msg=\(expected)\n")
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

    @Test func `control characters are escaped with four digits`() {
        #expect(JSONText.quoted("\u{0}\u{1f}") == #""\u0000\u001f""#)
    }
}
