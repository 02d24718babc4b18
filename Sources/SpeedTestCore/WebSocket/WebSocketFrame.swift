/// Whole frames as bytes: text and control frames, which are short.
package enum WebSocketFrame {
    /// A text message in one frame.
    ///
    /// - Parameters:
    ///   - text: the message.
    ///   - mask: unpredictable, from a client; nil from a server.
    /// - Returns: what is to be sent.
    package static func text(_ text: String, mask: UInt32?) -> [UInt8] { frame(.text, Array(text.utf8), mask) }

    /// Asks for a pong that repeats the payload, of which 125 bytes are kept.
    package static func ping(_ payload: [UInt8], mask: UInt32?) -> [UInt8] { frame(.ping, payload, mask) }

    /// Answers a ping with its own payload.
    package static func pong(_ payload: [UInt8], mask: UInt32?) -> [UInt8] { frame(.pong, payload, mask) }

    /// Ends the connection; no frame follows it.
    package static func close(_ code: WebSocketCloseCode, _ reason: String = "", mask: UInt32?) -> [UInt8] {
        let number = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xff)]
        var reason = Substring(reason)
        while reason.utf8.count > WebSocketFrameHeader.maximumControlPayload - 2 { reason.removeLast() }
        return frame(.close, number + reason.utf8, mask)
    }

    private static func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8], _ mask: UInt32?) -> [UInt8] {
        var payload = payload
        if opcode.isControl { payload = Array(payload.prefix(WebSocketFrameHeader.maximumControlPayload)) }
        let header = WebSocketFrameHeader(opcode, payloadLength: UInt64(payload.count), mask: mask)
        if let mask { WebSocketMask(mask).apply(to: &payload, at: 0) }
        return header.encoded + payload
    }
}
