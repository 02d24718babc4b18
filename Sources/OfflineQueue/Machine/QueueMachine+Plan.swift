extension QueueMachine {
    /// What to do now, and when to ask again.
    struct Plan: Equatable {
        /// To be sent; they count as being sent from here on.
        var sends: [Int64] = []
        /// Too old; they have left the machine.
        var expired: [Int64] = []
        /// nil: only after an event.
        var wake: Duration?
        /// A request that is due waits for a requirement.
        var waitsForRequirement = false
    }

    /// What follows from a try.
    enum Verdict: Equatable {
        case delivered
        case discard(DiscardReason)
        /// `counts`: an answer failed it, which has to be stored.
        case retry(due: Duration, counts: Bool)
        /// It had left the queue meanwhile.
        case withdrawn
    }
}
