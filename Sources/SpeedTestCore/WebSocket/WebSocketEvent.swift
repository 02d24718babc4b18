/// What came over a WebSocket.
package enum WebSocketEvent: Sendable, Equatable {
    /// So many bytes of a binary message, which nobody keeps.
    case binary(Int)
    /// The last byte of a binary message of so many bytes has come.
    case binaryEnd(UInt64)
    /// A whole text message.
    case text(String)
    /// To be answered with a pong of the same payload.
    case ping([UInt8])
    case pong([UInt8])
    /// The last frame of the other side; without a code where it gave none.
    case close(WebSocketCloseCode?, reason: String)
}
