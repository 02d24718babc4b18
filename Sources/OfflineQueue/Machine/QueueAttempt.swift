extension QueueMachine {
    /// How a try ended.
    enum Attempt: Equatable {
        case answered(status: Int, retryAfter: Duration?)
        /// Without an answer.
        case failed
        /// Not made: the name of the host led to an address that is not allowed, which another network may change.
        case forbiddenAddress
        /// Not made: its host, or the address in its URL, is not allowed.
        case forbidden
        /// Not made: it can never be sent.
        case invalid
        /// By the end of the queue.
        case interrupted

        /// Why another try follows; nil where none follows, or where this one was none.
        var failure: TryFailure? {
            switch self {
            case .answered(200..<300, _): nil
            case .answered(408, _), .answered(425, _), .answered(429, _): .status
            case .answered(400..<500, _): nil
            case .answered: .status
            case .failed: .noAnswer
            case .forbiddenAddress: .address
            case .forbidden, .invalid, .interrupted: nil
            }
        }
    }
}
