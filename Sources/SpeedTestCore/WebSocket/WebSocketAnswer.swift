/// The head of a server's answer to the request for a WebSocket.
package struct WebSocketAnswer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]

    /// Reads a head, the blank line left out.
    ///
    /// - Throws: what is wrong with it, a sentence without a subject.
    package init(parsing head: String) throws(WebSocketError) {
        // "\r\n" is one character.
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let status = lines.removeFirst().split(separator: " ", maxSplits: 2)
        guard status.count >= 2, status[0] == "HTTP/1.1", status[1].utf8.count == 3, let number = Int(status[1]),
            (100...599).contains(number)
        else { throw WebSocketError(.protocolError, "its answer is no HTTP/1.1") }
        self.status = number
        var headers: [(name: String, value: String)] = []
        for line in lines where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw WebSocketError(.protocolError, "its answer has a line that is no header")
            }
            let value = parts[1].drop { $0 == " " || $0 == "\t" }
            headers.append((String(parts[0]), String(value)))
        }
        self.headers = headers
    }

    /// The first header of that name, without regard to case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Whether it opens the WebSocket that was asked for; throws what it says instead.
    package func check(key: String, subprotocol: String) throws(WebSocketError) {
        guard status == 101 else { throw WebSocketError(.protocolError, "it answered \(status) instead of 101") }
        guard header("upgrade")?.lowercased() == "websocket",
            header("connection")?.lowercased().contains("upgrade") == true
        else { throw WebSocketError(.protocolError, "its 101 is no upgrade to a WebSocket") }
        guard header("sec-websocket-accept") == WebSocketHandshake.accept(for: key) else {
            throw WebSocketError(.protocolError, "its Sec-WebSocket-Accept does not fit our key")
        }
        guard header("sec-websocket-protocol") == subprotocol else {
            throw WebSocketError(.protocolError, "it does not speak \(subprotocol)")
        }
        guard header("sec-websocket-extensions") == nil else {
            throw WebSocketError(.protocolError, "it uses an extension that nobody asked for")
        }
    }
}
