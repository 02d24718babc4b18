/// What became of an attempt to connect.
package struct TCPHandshake: Sendable, Equatable {
    /// nil: the connection stood.
    package var failure: ProbeFailure?
    /// For people: the system's text; empty where nothing failed.
    package var detail = ""
    /// From SYN to SYN-ACK as the kernel measured it, or to the RST that refused it by our clock; nil: nobody answered.
    package var rtt: Duration?
    /// From the call to its outcome, by our clock.
    package var duration: Duration = .zero

    /// Whether the other side answered, be it with a refusal.
    package var isAnswered: Bool { failure == nil || failure == .refused }
}
