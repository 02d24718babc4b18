import FoundationEssentials
import HTTPTransfer

/// The HTTP/1.1 exchange that opens a WebSocket (RFC 6455 section 4), as values.
package enum WebSocketHandshake {
    /// Bytes of an answer's head; a longer one is refused.
    package static let maximumHead = 16_384

    /// A client's nonce, new for each connection.
    package static func key(using random: inout some RandomNumberGenerator) -> String {
        Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }).base64EncodedString()
    }

    /// What the server makes of the client's key: proof that it speaks WebSocket.
    package static func accept(for key: String) -> String {
        Data(Digest.sha1(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))).base64EncodedString()
    }

    /// The client's request.
    ///
    /// - Parameters:
    ///   - target: the path and query.
    ///   - host: the value of `Host`.
    ///   - key: from `key(using:)`.
    ///   - subprotocol: the one that is asked for.
    ///   - userAgent: for the server's log.
    /// - Returns: what is to be sent.
    package static func request(
        target: String,
        host: String,
        key: String,
        subprotocol: String,
        userAgent: String
    ) -> String {
        """
        GET \(target) HTTP/1.1\r
        Host: \(host)\r
        Connection: Upgrade\r
        Upgrade: websocket\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: \(key)\r
        Sec-WebSocket-Protocol: \(subprotocol)\r
        User-Agent: \(userAgent)\r
        \r

        """
    }

    /// The server's side: whether a request may become a WebSocket, and the fields of the 101 that says so.
    ///
    /// - Parameters:
    ///   - headers: of the request.
    ///   - subprotocol: the only one that is spoken.
    /// - Returns: the answer's fields, `Connection: Upgrade` among them.
    /// - Throws: what to answer instead.
    package static func answer(
        to headers: [(name: String, value: String)],
        subprotocol: String
    ) throws(Refusal) -> [(name: String, value: String)] {
        guard tokens("upgrade", of: headers).contains("websocket"),
            tokens("connection", of: headers).contains("upgrade")
        else {
            throw Refusal(status: 426, message: "this path takes WebSockets alone", headers: [("Upgrade", "websocket")])
        }
        guard values("sec-websocket-version", of: headers) == ["13"] else {
            throw Refusal(
                status: 426,
                message: "Sec-WebSocket-Version must be 13",
                headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
            )
        }
        let keys = values("sec-websocket-key", of: headers)
        guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else {
            throw Refusal(status: 400, message: "Sec-WebSocket-Key must be 16 bytes in Base64")
        }
        guard list("sec-websocket-protocol", of: headers).contains(subprotocol) else {
            throw Refusal(status: 400, message: "Sec-WebSocket-Protocol must offer \(subprotocol)")
        }
        return [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept(for: keys[0])),
            ("Sec-WebSocket-Protocol", subprotocol),
        ]
    }

    /// Why a request did not become a WebSocket, as an HTTP answer.
    package struct Refusal: Error, Sendable {
        package var status: Int
        package var message: String
        package var headers: [(name: String, value: String)] = []

        package init(status: Int, message: String, headers: [(name: String, value: String)] = []) {
            self.status = status
            self.message = message
            self.headers = headers
        }
    }

    private static func values(_ name: String, of headers: [(name: String, value: String)]) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map { trimmed($0.value[...]) }
    }

    private static func list(_ name: String, of headers: [(name: String, value: String)]) -> [String] {
        values(name, of: headers).flatMap { $0.split(separator: ",").map { trimmed($0) } }
    }

    private static func tokens(_ name: String, of headers: [(name: String, value: String)]) -> [String] {
        list(name, of: headers).map { $0.lowercased() }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
