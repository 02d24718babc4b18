/// Counts the bytes of uploads that carry a name, so that their sender can query the count.
package struct TestCounters: Sendable {
    /// The bytes of one test, over all of its connections.
    package struct Count: Sendable, Equatable {
        package var bytes: UInt64 = 0
        /// When the first byte arrived; before that, when the upload was announced.
        package var firstByteAt: ContinuousClock.Instant
        package var lastByteAt: ContinuousClock.Instant
    }

    /// Tests that are kept; a new one replaces the one without a byte for the longest time.
    package static let limit = 1024
    /// How long a test is kept after its last byte.
    package static let lifetime: Duration = .seconds(600)

    private var counts: [String: Count] = [:]

    package init() {}

    /// Whether a text may name a test: 1 to 64 letters, digits, `-`, `_` and `.`.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Announces an upload of a test.
    package mutating func begin(_ name: String, at now: ContinuousClock.Instant) {
        if let count = counts[name], count.lastByteAt + Self.lifetime > now { return }
        if counts.count >= Self.limit, counts[name] == nil {
            counts = counts.filter { $1.lastByteAt + Self.lifetime > now }
            if counts.count >= Self.limit, let oldest = counts.min(by: { $0.value.lastByteAt < $1.value.lastByteAt }) {
                counts[oldest.key] = nil
            }
        }
        counts[name] = Count(firstByteAt: now, lastByteAt: now)
    }

    /// Counts bytes of a test that was announced.
    package mutating func add(_ bytes: UInt64, to name: String, at now: ContinuousClock.Instant) {
        guard bytes > 0, var count = counts[name] else { return }
        if count.bytes == 0 { count.firstByteAt = now }
        count.bytes &+= bytes
        count.lastByteAt = now
        counts[name] = count
    }

    /// The bytes of a test so far; nil for an unknown or expired one.
    package func count(of name: String, at now: ContinuousClock.Instant) -> Count? {
        counts[name].flatMap { $0.lastByteAt + Self.lifetime > now ? $0 : nil }
    }
}
