import Testing

@testable import HTTPTransfer

struct CheckedRequestTests {
    private func checked(_ change: (inout TransferRequest) -> Void) throws -> CheckedRequest {
        try CheckedRequest(TransferRequest(url: "https://example.test:8443/a/../b?c").with(change))
    }

    @Test(arguments: [
        "", "example.test", "//example.test/", "ftp://example.test/", "file:///etc/passwd", "http://", "http:///x",
        "http://a b/", "http://example.test/a b", "http://example.test/\r\nX: y", "http://example.test/\u{0}",
        "http://example.test:0x50/", "http://example.test:70000/", "http://[::1/", "http://example.test/\u{7f}",
        " http://example.test/", "javascript:alert(1)",
    ])
    func `what is no http URL is refused`(_ url: String) {
        let error = #expect(throws: TransferError.self) { try CheckedRequest(TransferRequest(url: url)) }
        #expect(error?.reason == .invalidRequest)
    }

    @Test(arguments: [
        ("", "x"), ("a b", "x"), ("a:", "x"), ("a\r\nb", "x"), ("ä", "x"), ("a", "x\r\ny"), ("a", "x\ny"),
        ("a", "x\u{0}"),
        ("Content-Length", "3"), ("transfer-encoding", "chunked"),
    ])
    func `a header that could become two, or another length, is refused`(_ name: String, _ value: String) {
        let error = #expect(throws: TransferError.self) { try checked { $0.headers = [(name, value)] } }
        #expect(error?.reason == .invalidRequest)
    }

    @Test func `headers become lines, and an empty one stays`() throws {
        let lines = try checked { $0.headers = [("A", "b: c"), ("Empty", ""), ("Blank", " ")] }.headerLines
        #expect(lines == ["A: b: c", "Empty;", "Blank;"])
    }

    @Test func `what libcurl would add to a body is left out, unless it is asked for`() throws {
        let plain = try checked {
            $0.method = .post
            $0.body = .bytes([1])
        }
        #expect(plain.headerLines == ["Expect:", "Content-Type:"])
        let given = try checked {
            $0.method = .post
            $0.body = .bytes([1])
            $0.headers = [("expect", "100-continue"), ("CONTENT-TYPE", "text/plain")]
        }
        #expect(given.headerLines == ["expect: 100-continue", "CONTENT-TYPE: text/plain"])
    }

    @Test func `another name goes into the URL, and the way leads to the host`() throws {
        let request = try checked { $0.tls.serverName = "other.test" }
        #expect(request.url == "https://other.test:8443/a/../b?c")
        #expect(request.connectTo == "other.test:8443:example.test:8443")
        #expect(request.headerLines == ["Host: example.test:8443"])
    }

    @Test(arguments: ["", "a:b", "a b", "[::1]", "a/b", "ä.test", "a\n"])
    func `a server name that is none is refused`(_ name: String) {
        #expect(throws: TransferError.self) { try checked { $0.tls.serverName = name } }
    }

    @Test(arguments: ["", "a/b", "a b", "sixteen-letters-"])
    func `a device's name that cannot be is refused`(_ name: String) {
        #expect(throws: TransferError.self) { try checked { $0.interface = name } }
    }

    @Test func `GET and HEAD have no body`() {
        for method in [TransferRequest.Method.get, .head] {
            #expect(throws: TransferError.self) {
                try checked {
                    $0.method = method
                    $0.body = .bytes([])
                }
            }
        }
    }

    @Test func `an address needs no lookup, unless a proxy is asked`() throws {
        let request = TransferRequest(url: "http://[::1]/")
        #expect(try CheckedRequest(request).needsNoLookup)
        #expect(try !CheckedRequest(request.with { $0.proxy = "http://proxy.test:1" }).needsNoLookup)
        #expect(try !CheckedRequest(TransferRequest(url: "http://localhost/")).needsNoLookup)
    }

    @Test func `Neither addresses nor localhost are looked up, unless a name is`() throws {
        func hosts(_ url: String, proxy: String? = nil) throws -> [String] {
            try CheckedRequest(TransferRequest(url: url).with { $0.proxy = proxy }).names.hosts
        }
        #expect(try hosts("http://[fe80::1%25lo]/") == [])
        #expect(try hosts("http://LOCALHOST/") == [] && hosts("http://a.localhost:1/") == [])
        #expect(try hosts("http://example.com/") == ["example.com"])
        #expect(try hosts("http://example.com/", proxy: "http://192.0.2.1:1") == [])
        #expect(try hosts("http://example.com/", proxy: "proxy.test") == ["proxy.test"])
        #expect(try hosts("http://192.0.2.1/", proxy: "socks5://proxy.test") == ["proxy.test", "192.0.2.1"])
        #expect(try hosts("http://example.com/", proxy: "socks5://192.0.2.1") == ["192.0.2.1", "example.com"])
    }
}
