import Foundation
import Testing

@testable import Networking

@Suite struct EndpointURLTests {
    private func text(
        _ path: String,
        _ items: [URLQueryItem]? = nil,
        below base: String = "https://api.example.com/v1"
    ) throws -> String {
        let url = try #require(URL(string: base))
        return try Endpoint(path: path, queryItems: items).url(below: url).absoluteString
    }

    @Test(arguments: [
        ("https://h", "/users", "https://h/users"),
        ("https://h", "users", "https://h/users"),
        ("https://h/", "/users", "https://h/users"),
        ("https://h/v1", "/users", "https://h/v1/users"),
        ("https://h/v1/", "users/", "https://h/v1/users/"),
        ("https://h/v1", "", "https://h/v1"),
        ("https://h/v1/", "", "https://h/v1/"),
        ("https://h", "", "https://h"),
        ("https://h/v1", "/", "https://h/v1/"),
        ("https://h/a%20b/%2F", "x", "https://h/a%20b/%2F/x"),
        ("https://user:word@h:8443/v1", "x", "https://user:word@h:8443/v1/x"),
        ("http://[::1]:8080/v1", "x", "http://[::1]:8080/v1/x"),
        ("https://h/v1#part", "x", "https://h/v1/x"),
    ]) func `keeps the path of the base URL`(_ base: String, _ path: String, _ expected: String) throws {
        #expect(try text(path, below: base) == expected)
    }

    @Test(arguments: [
        ("/a b", "/a%20b"),
        ("/grüße/日本", "/gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC"),
        ("/100%", "/100%25"),
        ("/a%2Fb%zz", "/a%2Fb%25zz"),
        ("/c#", "/c%23"),
        ("/a+b&c=d;e:f@g", "/a+b&c=d;e:f@g"),
        ("/\"<>[]^`{|}\\", "/%22%3C%3E%5B%5D%5E%60%7B%7C%7D%5C"),
        ("//other.example/x", "//other.example/x"),
        ("/a...b/.hidden", "/a...b/.hidden"),
    ]) func `encodes what a path cannot contain, and keeps escapes`(_ path: String, _ expected: String) throws {
        #expect(try text(path) == "https://api.example.com/v1\(expected)")
    }

    @Test func `encodes plus, ampersand, equals sign, space and all other alphabets in query items`() throws {
        let items = [
            URLQueryItem(name: "a+b", value: "1+1=2&c=3"),
            URLQueryItem(name: "name", value: "Zoë 日本 🎈"),
            URLQueryItem(name: "path", value: "/?#[]@!$'()*,;%25"),
            URLQueryItem(name: "empty", value: ""),
            URLQueryItem(name: "flag", value: nil),
            URLQueryItem(name: "same", value: "1"),
            URLQueryItem(name: "same", value: "2"),
        ]
        let query = try #require(try text("/find", items).split(separator: "?").last)
        #expect(
            query.split(separator: "&") == [
                "a%2Bb=1%2B1%3D2%26c%3D3",
                "name=Zo%C3%AB%20%E6%97%A5%E6%9C%AC%20%F0%9F%8E%88",
                "path=%2F%3F%23%5B%5D%40%21%24%27%28%29%2A%2C%3B%2525",
                "empty=",
                "flag",
                "same=1",
                "same=2",
            ]
        )
    }

    @Test func `joins the queries of base URL, path and items in this order`() throws {
        let items = [URLQueryItem(name: "page", value: "2")]
        #expect(try text("/find?q=a b", items, below: "https://h/v1?key=k") == "https://h/v1/find?key=k&q=a%20b&page=2")
        #expect(try text("/find?", []) == "https://api.example.com/v1/find")
        #expect(try text("?q=1?2") == "https://api.example.com/v1?q=1?2")
    }

    @Test(arguments: [
        "/a\nb", "/a\u{0}", "/\u{7f}", "https://other.example/x", "ftp://x", "/../admin", "..", "/a/./b", "/%2e%2E/x",
    ])
    func `refuses a path that cannot be part of a URL or leaves the base URL`(_ path: String) {
        #expect(throws: HTTPError.invalidURL) { try text(path) }
    }

    @Test func `a URL inside a path is no scheme`() throws {
        #expect(try text("/fetch/https://h/x") == "https://api.example.com/v1/fetch/https://h/x")
    }

    @Test(arguments: ["ftp://h/", "file:///etc/passwd", "mailto:a@b.example", "data:text/plain,x"])
    func `no answer of another scheme is one of HTTP`(_ base: String) {
        #expect(throws: HTTPError.invalidResponse) { try text("/x", below: base) }
    }

    @Test(arguments: ["/relative", "https:///path", "h"])
    func `refuses a base URL without a scheme or a host`(_ base: String) {
        #expect(throws: HTTPError.invalidURL) { try text("/x", below: base) }
    }

    @Test func `has the method, headers and body of the endpoint`() throws {
        let endpoint = Endpoint(path: "/x", method: .put, headers: ["X-One": "1"], body: Data("body".utf8))
        let request = try endpoint.request(below: try #require(URL(string: "https://h")))
        #expect(request.httpMethod == "PUT")
        #expect(request.value(forHTTPHeaderField: "X-One") == "1")
        #expect(request.httpBody == Data("body".utf8))
    }

    @Test(arguments: [["X-One": "1\r\nX-Two: 2"], ["X-One\n": "1"], ["": "1"], ["X: Y": "1"], ["X": "\u{0}"]])
    func `refuses a header that could become two`(_ headers: [String: String]) throws {
        let base = try #require(URL(string: "https://h"))
        #expect(throws: HTTPError.invalidURL) { try Endpoint(path: "/x", headers: headers).request(below: base) }
    }
}
