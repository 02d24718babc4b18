import Locking

/// What a test has moved so far, every direction and every failed request included.
///
/// Bytes of TCP payload where the kernel tells (tcpi_bytes_received, tcpi_bytes_sent), else of HTTP.
package final class TrafficAccount: Sendable {
    package struct Bytes: Sendable, Equatable {
        package var received: UInt64 = 0
        package var transmitted: UInt64 = 0

        package init(received: UInt64 = 0, transmitted: UInt64 = 0) {
            self.received = received
            self.transmitted = transmitted
        }

        package var total: UInt64 { received &+ transmitted }
    }

    private let state = Locked(Bytes())

    package init() {}

    package var bytes: Bytes { state.withLock { $0 } }

    package func add(received: UInt64 = 0, transmitted: UInt64 = 0) {
        state.withLock { bytes in
            bytes.received &+= received
            bytes.transmitted &+= transmitted
        }
    }
}
