import CGnuTLS
import FoundationEssentials
import HTTPTransfer

/// The HTTP/1.1 exchange that opens a WebSocket (RFC 6455 section 4), as values.
package enum WebSocketHandshake {
    /// The maximum bytes of an answer's head.
    package static let maximumHead = 16_384

    /// A client's nonce, new for each connection.
    package static func key(using random: inout some RandomNumberGenerator) -> String {
        Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }).base64EncodedString()
    }

    /// The server's answer to the client's key, which proves that it supports WebSockets.
    package static func accept(for key: String) -> String {
        Data(sha1(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))).base64EncodedString()
    }

    /// SHA-1, which proves nothing any more; empty where GnuTLS refuses it.
    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        return gnutls_hash_fast(GNUTLS_DIG_SHA1, bytes, bytes.count, &digest) == 0 ? digest : []
    }

    /// The client's request.
    ///
    /// - Parameters:
    ///   - target: the path and query.
    ///   - host: the value of `Host`.
    ///   - key: from `key(using:)`.
    ///   - subprotocol: the requested one.
    ///   - userAgent: for the server's log.
    /// - Returns: the bytes to send, as text.
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

    /// The server's side: checks whether a request may become a WebSocket.
    ///
    /// - Parameters:
    ///   - headers: of the request.
    ///   - subprotocol: the only one that is supported.
    /// - Returns: the fields of the 101, including `Connection: Upgrade`.
    /// - Throws: the response instead.
    package static func answer(
        to headers: [(name: String, value: String)],
        subprotocol: String
    ) throws(Refusal) -> [(name: String, value: String)] {
        guard tokens("upgrade", of: headers).contains("websocket"),
            tokens("connection", of: headers).contains("upgrade")
        else {
            throw Refusal(
                status: 426,
                message: "this path only accepts WebSockets",
                headers: [("Upgrade", "websocket")]
            )
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

    /// Why a request did not become a WebSocket, as an HTTP response.
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

/// The head of a server's answer to the request for a WebSocket.
package struct WebSocketAnswer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]

    /// Parses a head without its blank line.
    ///
    /// - Throws: the error, as a sentence without a subject.
    package init(parsing head: String) throws(WebSocketError) {
        // "\r\n" is one character.
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let status = lines.removeFirst().split(separator: " ", maxSplits: 2)
        guard status.count >= 2, status[0] == "HTTP/1.1", status[1].utf8.count == 3, let number = Int(status[1]),
            (100...599).contains(number)
        else { throw WebSocketError(.protocolError, "its answer is not HTTP/1.1") }
        self.status = number
        var headers: [(name: String, value: String)] = []
        for line in lines where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw WebSocketError(.protocolError, "its answer has a line that is not a header")
            }
            let value = parts[1].drop { $0 == " " || $0 == "\t" }
            headers.append((String(parts[0]), String(value)))
        }
        self.headers = headers
    }

    /// The first header of a name, case-insensitively.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Throws unless it opens the requested WebSocket.
    package func check(key: String, subprotocol: String) throws(WebSocketError) {
        guard status == 101 else { throw WebSocketError(.protocolError, "it answered \(status) instead of 101") }
        guard header("upgrade")?.lowercased() == "websocket",
            header("connection")?.lowercased().contains("upgrade") == true
        else { throw WebSocketError(.protocolError, "its 101 does not upgrade to a WebSocket") }
        guard header("sec-websocket-accept") == WebSocketHandshake.accept(for: key) else {
            throw WebSocketError(.protocolError, "its Sec-WebSocket-Accept does not match the key")
        }
        guard header("sec-websocket-protocol") == subprotocol else {
            throw WebSocketError(.protocolError, "it does not support \(subprotocol)")
        }
        guard header("sec-websocket-extensions") == nil else {
            throw WebSocketError(.protocolError, "it uses an extension that was not requested")
        }
    }
}
