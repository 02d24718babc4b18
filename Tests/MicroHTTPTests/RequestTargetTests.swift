import Testing

@testable import MicroHTTP

struct RequestTargetTests {
    @Test(arguments: [
        ("/", "/", ""),
        ("/a%20b/%C3%BC", "/a b/ü", ""),
        ("/a+b", "/a+b", ""),
        ("/x?", "/x", ""),
        ("/x?a=1&b=2&a=3", "/x", "a=1 b=2 a=3"),
        ("/x?a+b=%2b+&c", "/x", "a b=+  c="),
        ("/x?a=b=c&&?=/", "/x", "a=b=c ?=/"),
        ("http://host:80/p?q=1", "/p", "q=1"),
        ("HTTP://host", "/", ""),
        ("https://host?q=1", "/", "q=1"),
        ("*", "*", ""),
        ("/%2e%2e//", "/..//", ""),
    ])
    func `decodes a target`(target: String, path: String, query: String) throws {
        let decoded = try RequestTarget(decoding: Array(target.utf8))
        #expect(decoded.path == path)
        #expect(decoded.query.map { "\($0.name)=\($0.value)" }.joined(separator: " ") == query)
    }

    @Test(arguments: [
        "/%", "/%4", "/%zz", "/%4g", "/%-1", "/a%00b", "/%c3", "/%ff", "/%ed%a0%80", "/x?a=%zz", "/x?%00", "/x?=%f5",
        "/a b", "/a\tb", "/\u{7f}", "", "x", "ftp://h/", "http://", "http:///p", "host:80",
    ])
    func `refuses a malformed target`(target: String) {
        #expect(throws: RequestError.self) { try RequestTarget(decoding: Array(target.utf8)) }
    }
}
