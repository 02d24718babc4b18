import SpeedTestCore
import Testing

struct WebSocketHandshakeTests {
    private static let good: [(name: String, value: String)] = [
        ("Host", "example.com"), ("upgrade", "WebSocket"), ("Connection", "keep-alive, Upgrade"),
        ("Sec-WebSocket-Version", " 13 "), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Protocol", "chat, net.measurementlab.ndt.v7"),
    ]

    @Test func `the RFC's own key has the RFC's own answer`() {
        #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func `a valid request is answered with the fields that its client checks`() throws {
        let fields = try WebSocketHandshake.answer(to: Self.good, subprotocol: NDT7.subprotocol)
        let head = (["HTTP/1.1 101 Switching Protocols"] + fields.map { "\($0.name): \($0.value)" })
        let answer = try WebSocketAnswer(parsing: head.joined(separator: "\r\n"))
        try answer.check(key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocol: NDT7.subprotocol)
        #expect(answer.header("SEC-WEBSOCKET-ACCEPT") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        ("upgrade", "h2c", 426), ("Connection", "close", 426), ("Sec-WebSocket-Version", "8", 426),
        ("Sec-WebSocket-Key", "c2hvcnQ=", 400), ("Sec-WebSocket-Key", "not Base64", 400),
        ("Sec-WebSocket-Protocol", "chat", 400),
    ])
    func `a request with one wrong field is refused`(name: String, value: String, status: Int) {
        let headers = Self.good.map { $0.name == name ? (name: name, value: value) : $0 }
        let refusal = #expect(throws: WebSocketHandshake.Refusal.self) {
            try WebSocketHandshake.answer(to: headers, subprotocol: NDT7.subprotocol)
        }
        #expect(refusal?.status == status)
        #expect(throws: WebSocketHandshake.Refusal.self) {
            let missing = Self.good.filter { $0.name != name }
            return try WebSocketHandshake.answer(to: missing, subprotocol: NDT7.subprotocol)
        }
        #expect(throws: WebSocketHandshake.Refusal.self) {
            let twice = Self.good + Self.good.filter { $0.name == "Sec-WebSocket-Key" }
            return try WebSocketHandshake.answer(to: twice, subprotocol: NDT7.subprotocol)
        }
    }

    @Test(arguments: [
        "", "HTTP/1.0 101 Switching Protocols", "HTTP/1.1 1e1 x", "HTTP/1.1 101 x\r\nno colon", "SSH-2.0-x",
    ])
    func `an answer that is not HTTP is refused`(head: String) {
        #expect(throws: WebSocketError.self) { try WebSocketAnswer(parsing: head) }
    }

    @Test(arguments: [
        "Upgrade: h2c", "Connection: close", "Sec-WebSocket-Accept: AAAA", "Sec-WebSocket-Protocol: chat",
        "Sec-WebSocket-Extensions: permessage-deflate",
    ])
    func `a 101 for another request is refused`(line: String) throws {
        let fields = try WebSocketHandshake.answer(to: Self.good, subprotocol: NDT7.subprotocol)
        let name = line.prefix { $0 != ":" }
        let lines = fields.filter { $0.name != name }.map { "\($0.name): \($0.value)" } + [line]
        let head = (["HTTP/1.1 101 Switching Protocols"] + lines).joined(separator: "\r\n")
        let answer = try WebSocketAnswer(parsing: head)
        #expect(throws: WebSocketError.self) {
            try answer.check(key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocol: NDT7.subprotocol)
        }
    }

    @Test func `a key is new each time`() {
        var random = SystemRandomNumberGenerator()
        let keys = (0..<100).map { _ in WebSocketHandshake.key(using: &random) }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { $0.utf8.count == 24 })
    }
}
