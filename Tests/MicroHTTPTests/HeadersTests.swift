import Testing

@testable import MicroHTTP

struct HeadersTests {
    @Test func `keeps repeated fields and finds them in any case`() {
        var headers: Headers = ["Accept": "a", "X": "1"]
        headers.add("ACCEPT", "b")
        #expect(headers["accept"] == "a")
        #expect(headers.values("Accept") == ["a", "b"])
        #expect(headers["Accep"] == nil)
        #expect(headers["@ccept"] == nil)
        #expect(Headers(dictionaryLiteral: ("[", "x"))["{"] == nil)
    }

    @Test func `removes the space behind values only`() {
        var headers: Headers = ["A": " x y \t", "B": "\t ", "C": "", "D": "z", "E": "\u{a0} "]
        headers.trimEnds()
        #expect(headers.fields.map(\.value) == [" x y", "", "", "z", "\u{a0}"])
    }

    @Test func `replaces all fields of a name`() {
        var headers: Headers = ["Vary": "a"]
        headers.add("vary", "b")
        headers["VARY"] = "c"
        #expect(headers.values("Vary") == ["c"])
        headers["Vary"] = nil
        #expect(headers.fields.isEmpty)
    }
}
