/// What the other side sent against RFC 6455, or past our limits.
package struct WebSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status to close the connection with.
    package var code: WebSocketCloseCode
    /// What came, and what was expected.
    package var message: String

    package init(_ code: WebSocketCloseCode, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
