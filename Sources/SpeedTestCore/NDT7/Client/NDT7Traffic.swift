import Posix

/// Adds the bytes of one connection to a test's account as they grow.
struct NDT7Traffic {
    let account: TrafficAccount
    private var bytes = ConnectionBytes()

    init(_ account: TrafficAccount) { self.account = account }

    /// Bytes of both directions, by the upper bound.
    var moved: UInt64 { bytes.carried.received.most &+ bytes.carried.sent.most }

    /// What may arrive after the connection is closed.
    var underWay: UInt64 { bytes.underWay }

    /// Reads the kernel's counters.
    ///
    /// - Returns: the counters; nil where the kernel has none.
    @discardableResult
    mutating func update(from socket: Int32) -> TCPStatistics? {
        guard let info = TCPStatistics(of: socket) else { return nil }
        add { $0.read(info, isIPv6: SocketOptions.isIPv6(socket)) }
        return info
    }

    /// Reads them for the last time: the connection is about to be closed.
    ///
    /// - Parameters:
    ///   - socket: of the connection.
    ///   - rest: what is still to come; nil: not known, 0: nothing.
    mutating func end(_ socket: Int32, rest: UInt64?) {
        update(from: socket)
        add { $0.end(rest: rest) }
    }

    private mutating func add(_ change: (inout ConnectionBytes) -> Void) {
        let before = bytes.carried
        change(&bytes)
        account.add(bytes.carried.since(before))
    }
}
