/// What a WebSocket frame is (RFC 6455 section 5.2).
package enum WebSocketOpcode: UInt8, Sendable, CaseIterable {
    /// Goes on with the message of the frames before it.
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether it may stand between the fragments of a message, and is short and whole itself.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}
