import Coordination
import Dispatch
import Posix

/// A lookup that hangs on chosen names until it is let go.
final class HangingLookup: Sendable {
    static let found = [[198, 18, 0, 1]].compactMap(IPAddress.init(bytes:)).map { SocketAddress($0) }

    private let hanging: Set<String>
    private let hosts = Locked<[String]>([])
    private let gate = DispatchSemaphore(value: 0)
    private let begun: AsyncStream<String>
    private let begin: AsyncStream<String>.Continuation

    init(on hanging: Set<String>) {
        self.hanging = hanging
        (begun, begin) = AsyncStream.makeStream()
    }

    deinit { release() }

    /// What was looked up.
    var looked: [String] { hosts.withLock { $0 } }

    @Sendable func addresses(of host: String, _ family: AddressFamily?) -> [SocketAddress] {
        hosts.withLock { $0.append(host) }
        begin.yield(host)
        if hanging.contains(host) { gate.wait() }
        return Self.found
    }

    /// Waits for lookups to begin.
    func hangs(_ count: Int) async {
        for await _ in begun.prefix(count) {}
    }

    /// Lets every lookup go, and later ones too.
    func release() {
        for _ in 0..<100 { gate.signal() }
    }
}
