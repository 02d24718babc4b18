/// Calls to make in the order in which they were put in, one at a time and under no lock.
///
/// It lives behind the lock that decides the order. Whoever put something in begins; while somebody else is at it, that
/// one makes the new calls too.
struct Outbox: Sendable {
    private var calls: [@Sendable () -> Void] = []
    private var isBusy = false

    mutating func append(_ call: @escaping @Sendable () -> Void) { calls.append(call) }

    /// Whether the caller is to make the calls, asking for `next()` until there is none.
    mutating func begin() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        return true
    }

    mutating func next() -> (@Sendable () -> Void)? {
        guard !calls.isEmpty else {
            isBusy = false
            return nil
        }
        return calls.removeFirst()
    }
}
