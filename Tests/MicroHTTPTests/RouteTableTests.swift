import Testing

@testable import MicroHTTP

struct RouteTableTests {
    private static func route(_ method: Method, _ path: String, _ name: String) -> Route {
        Route(method, path, name: name, handler: .immediate { _ in .empty(status: 204) })
    }

    private static let table = RouteTable([
        route(.get, "/", "root"),
        route(.get, "/a", "a"),
        route(.post, "/a", "post a"),
        route(.head, "/h", "head h"),
        route(.get, "/h", "get h"),
        route(.get, "/f/*", "f"),
        route(.get, "/f/g/*", "f g"),
        route(.delete, "/f/x", "delete x"),
        Route(
            .get,
            "/w",
            name: "waiting w",
            when: { $0.queryValue("wait") != nil },
            handler: .immediate { _ in .empty(status: 204) }
        ),
        route(.get, "/w", "w"),
        Route(.get, "/never", name: "never", when: { _ in false }, handler: .immediate { _ in .empty(status: 204) }),
    ])

    @Test(arguments: [
        ("GET", "/", "root"),
        ("HEAD", "/a", "a"),
        ("POST", "/a", "post a"),
        ("HEAD", "/h", "head h"),
        ("GET", "/h", "get h"),
        ("GET", "/f/", "f"),
        ("GET", "/f/x/y", "f"),
        ("GET", "/f/g/y", "f g"),
        ("GET", "/f/x", "f"),
        ("DELETE", "/f/x", "delete x"),
        ("GET", "/w", "w"),
        ("GET", "/f", "404"),
        ("GET", "/a/", "404"),
        ("GET", "/A", "404"),
        ("GET", "/never", "404"),
        ("PUT", "/a", "405 GET HEAD POST"),
        ("PUT", "/f/x", "405 DELETE GET HEAD"),
        ("OPTIONS", "/h", "405 GET HEAD"),
    ])
    func `finds the row`(method: String, path: String, expected: String) {
        let found = Self.table.find(Request(method: Method(rawValue: method), path: path))
        #expect(Self.describe(found) == expected)
    }

    @Test func `Evaluates the condition of a row`() {
        let items = [Request.QueryItem(name: "wait", value: "1s")]
        #expect(Self.describe(Self.table.find(Request(path: "/w", query: items))) == "waiting w")
    }

    private static func describe(_ outcome: RouteTable.Outcome) -> String {
        switch outcome {
        case .found(let route): route.name
        case .notFound: "404"
        case .notAllowed(let methods): "405 " + methods.map(\.rawValue).joined(separator: " ")
        }
    }
}
