import FoundationEssentials

/// Decides who is told what: each once at its registration when the connection is there, then once at each change.
struct CallbackRounds {
    /// What happened, in this order.
    enum Event: Sendable, Equatable {
        case registered(UUID)
        case removed(UUID)
        case connected(Bool)
    }

    /// Whom to tell, in the order of their registration, and what.
    struct Round: Equatable {
        var callbacks: [UUID]
        var isConnected: Bool
    }

    private var callbacks: [UUID] = []
    /// False before the first complete evaluation: nobody had a connection to lose.
    private var isConnected = false

    /// The round that follows from an event, if any.
    mutating func apply(_ event: Event) -> Round? {
        switch event {
        case .registered(let id):
            callbacks.append(id)
            return isConnected ? Round(callbacks: [id], isConnected: true) : nil
        case .removed(let id):
            callbacks.removeAll { $0 == id }
            return nil
        case .connected(let now):
            guard now != isConnected else { return nil }
            isConnected = now
            return Round(callbacks: callbacks, isConnected: now)
        }
    }
}
