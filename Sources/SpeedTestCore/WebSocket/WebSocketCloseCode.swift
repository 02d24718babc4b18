/// Why a side closes a WebSocket (RFC 6455 section 7.4).
package struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    /// Any number, also one that may not be sent.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// All that was to be done is done.
    package static let normal = Self(rawValue: 1000)
    /// The side is leaving.
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// A kind of data that is not taken.
    package static let unsupportedData = Self(rawValue: 1003)
    /// Such as text that is no UTF-8.
    package static let invalidPayload = Self(rawValue: 1007)
    package static let messageTooBig = Self(rawValue: 1009)

    /// Whether it may stand in a Close frame: 1004 to 1006 and 1015 are for programs alone, and what is below 1000 or
    /// above 4999 is nobody's.
    package var isAllowedOnTheWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
