import Posix

/// Puts what one connection has moved into a test's account, as it grows.
struct NDT7Traffic {
    private let account: TrafficAccount
    private(set) var received: UInt64 = 0
    private(set) var transmitted: UInt64 = 0

    init(_ account: TrafficAccount) { self.account = account }

    /// By the kernel's counters: payload of TCP, the handshakes included, repetitions not.
    ///
    /// - Returns: the counters; nil where the kernel has none.
    @discardableResult
    mutating func update(from socket: Int32) -> TCPStatistics? {
        guard let info = TCPStatistics(of: socket) else { return nil }
        let news = (
            received: info.bytesReceived - min(received, info.bytesReceived),
            transmitted: info.bytesTransmitted - min(transmitted, info.bytesTransmitted)
        )
        received += news.received
        transmitted += news.transmitted
        if news != (0, 0) { account.add(received: news.received, transmitted: news.transmitted) }
        return info
    }
}
