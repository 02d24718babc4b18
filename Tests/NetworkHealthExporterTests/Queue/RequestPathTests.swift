import Testing

@testable import NetworkHealthExporter

struct RequestPathTests {
    @Test(arguments: [
        "/", "/v1", "/v1/", "/v1/a.b", "/v1/.well-known", "/v1/a..b", "/v1/x;y=1", "/v1/caf%C3%A9", "/v1/a%20b",
        "/v1/~%7e:@,",
    ])
    func `a path that every server reads alike is plain`(_ path: String) {
        #expect(RequestPath.isPlain(path))
    }

    @Test(arguments: [
        "", "v1", "/v1/../admin", "/v1/..", "/v1/.", "/v1/./x", "/v1/%2e%2e/admin", "/v1/.%2E/admin",
        "/v1/%252e%252e/admin",
        "/v1/..;/admin", "/v1/..;x=1/admin", "/v1/..%3b/admin", "/v1/;/admin", "/v1/..\\admin", "/v1/..%5cadmin",
        "/v1/..%2fadmin",
        "/v1//admin", "//admin", "/v1/%2e", "/v1/%c0%ae%c0%ae/admin", "/v1/%ff", "/v1/x%00", "/v1/x%0a", "/v1/%7f",
        "/v1/%", "/v1/%2",
        "/v1/%zz", "/v1/%+1", "/v1/é", "/v1/.../x", "/v1/..%20/x", "/v1/a b",
    ])
    func `a path that servers may read differently is not`(_ path: String) {
        #expect(!RequestPath.isPlain(path))
    }

    @Test func `a path is below another one by whole segments, byte by byte`() {
        for path in ["/v1", "/v1/", "/v1/x"] { #expect(RequestPath.isBelow(path, "/v1")) }
        for path in ["/v10", "/v", "/", "", "/V1", "/v1%2f", "/v1e\u{301}"] {
            #expect(!RequestPath.isBelow(path, "/v1"))
        }
        #expect(RequestPath.isBelow("/v1/x", "/v1/") && !RequestPath.isBelow("/v1", "/v1/"))
        #expect(RequestPath.isBelow("/anything", "/"))
        #expect(!RequestPath.isBelow("/caf%C3%A9", "/caf\u{e9}"))
    }
}
