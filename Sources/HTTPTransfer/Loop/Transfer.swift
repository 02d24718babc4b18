import Coordination

/// One call of `perform`, as its task and the loop's thread both see it.
final class Transfer: Sendable {
    typealias Outcome = Result<TransferResponse, TransferError>

    /// What other threads ask of the loop.
    enum Command: Sendable {
        case start(Transfer, CheckedContinuation<Outcome, Never>)
        /// The reason is its `wantedEnd`.
        case end(Transfer)
        /// A stream has room or bytes again.
        case resumeReceiving(Transfer)
        case resumeSending(Transfer)
        /// Its names have addresses, or none.
        case lookedUp(Transfer, Result<ResolvedNames, NamesToResolve.Failure>)
    }

    let checked: CheckedRequest
    let deadline: ContinuousClock.Instant
    /// Where `Body.stream` and `Sink.stream` wait for each other and for the connection.
    let upload: UploadBuffer?
    let download: DownloadBuffer?
    private let ending = Locked<(reason: TransferError.Reason, message: String)?>(nil)

    init(_ checked: CheckedRequest) {
        self.checked = checked
        deadline = .now + checked.request.timeout
        upload = if case .stream(let length, _) = checked.request.body { UploadBuffer(length: length) } else { nil }
        download = if case .stream = checked.request.sink { DownloadBuffer() } else { nil }
    }

    /// Why it was asked to end; the first reason stays.
    var wantedEnd: (reason: TransferError.Reason, message: String)? { ending.withLock { $0 } }

    /// Records that it shall end; the loop has to be notified as well.
    func wantEnd(_ reason: TransferError.Reason, _ message: String) {
        ending.withLock { if $0 == nil { $0 = (reason, message) } }
    }
}
