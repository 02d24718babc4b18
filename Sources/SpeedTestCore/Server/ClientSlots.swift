/// How many transfers each client has under way.
package struct ClientSlots: Sendable, Equatable {
    private var transfers: [String: Int] = [:]

    package init() {}

    /// All of them.
    package var total: Int { transfers.values.reduce(0, +) }

    /// Lets one more transfer of a client begin, unless there are too many clients or too many of its own.
    package mutating func enter(_ client: String, clientLimit: Int, transferLimit: Int) -> Bool {
        let count = transfers[client, default: 0]
        guard count < transferLimit, count > 0 || transfers.count < clientLimit else { return false }
        transfers[client] = count + 1
        return true
    }

    /// One has ended.
    package mutating func leave(_ client: String) {
        guard let count = transfers[client] else { return }
        transfers[client] = count > 1 ? count - 1 : nil
    }
}
