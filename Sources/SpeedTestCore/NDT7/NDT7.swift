/// What both sides of ndt7 agree on (M-Lab's ndt7 protocol, version 0.11).
package enum NDT7 {
    /// The only subprotocol of its WebSockets.
    package static let subprotocol = "net.measurementlab.ndt.v7"
    /// How long a test lasts, from the handshake on; the server ends it.
    package static let nominalDuration = Duration.seconds(10)
    /// Bytes of a load message that must be taken.
    package static let maximumMessage: UInt64 = 1 << 24

    /// Where a test is, below the server's base.
    package static func path(_ direction: Direction) -> String { "/ndt/v7/\(direction.rawValue)" }
}
