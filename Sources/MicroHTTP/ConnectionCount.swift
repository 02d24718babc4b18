/// Counts connections against the limits, in all and by address.
///
/// libmicrohttpd 0.9.75 has such limits too, but where connections still wait for its event thread, it notices them there
/// and returns with a mutex locked. So ours are checked before it gets a connection, and its own are never met.
struct ConnectionCount: Equatable {
    private let limit: Int
    private let limitPerAddress: Int
    private var total = 0
    private var byAddress: [String: Int] = [:]

    init(limit: Int, limitPerAddress: Int) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
    }

    /// Counts one more, unless that were above a limit, which is returned then.
    ///
    /// An empty address, of a socket that is not IP's, is counted in all only.
    mutating func add(_ address: String) -> Server.Refusal? {
        guard total < limit else { return .total }
        if !address.isEmpty {
            guard byAddress[address, default: 0] < limitPerAddress else { return .address }
            byAddress[address, default: 0] += 1
        }
        total += 1
        return nil
    }

    /// Counts one less, which was added with this address.
    mutating func remove(_ address: String) {
        total -= 1
        guard let count = byAddress[address] else { return }
        byAddress[address] = count > 1 ? count - 1 : nil
    }
}
