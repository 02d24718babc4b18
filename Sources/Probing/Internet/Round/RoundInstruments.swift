import HTTPTransfer

/// What a round asks with.
struct RoundInstruments: Sendable {
    let transfers: any HTTPTransferring
    let connecting: any Connecting
    let pinging: any Pinging
    /// Asks a portal's own interface (RFC 8908) whether this host is held captive; nil: no answer.
    let captive: @Sendable (_ uri: String) async -> Bool?
    let timeline: Timeline
    /// Told about each question that came to an end.
    let record: @Sendable (InternetSample) -> Void
}
