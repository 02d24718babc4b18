/// A host and port that requests wait for, whatever their lanes.
///
/// While it does not answer, one request to it is sent at a time: those with many ordering keys would take all places in turn, each
/// until its try has timed out, and requests to other servers would wait.
struct QueueServer: Sendable {
    /// Requests to it in the queue, with those that are being sent.
    var requests = 0
    /// Requests that are being sent.
    var sending = 0
    /// The last try brought no answer.
    private var isSilent = false

    /// Whether one more may be sent to it.
    var hasRoom: Bool { !isSilent || sending == 0 }

    /// A try has ended.
    mutating func end(_ attempt: QueueMachine.Attempt) {
        switch attempt {
        case .answered: isSilent = false
        case .failed: isSilent = true
        // The server had no part in it.
        case .forbiddenAddress, .forbidden, .invalid, .interrupted: break
        }
    }

    /// The network is back: the silence may have been its own.
    mutating func networkReturned() { isSilent = false }
}
