/// Bytes that probes have cost, as payload of TCP, UDP and ICMP.
package struct Traffic: Sendable, Equatable {
    package var received: UInt64
    package var sent: UInt64

    package init(received: UInt64 = 0, sent: UInt64 = 0) {
        (self.received, self.sent) = (received, sent)
    }
}
