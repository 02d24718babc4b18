import Locking

/// The bytes that may still be requested in one direction; every request takes its bytes from here before it is sent.
final class ByteAllowance: Sendable {
    private let left: Locked<UInt64?>
    /// Smaller requests are not sent.
    private let minimum: UInt64

    /// - Parameter limit: nil: no limit.
    init(limit: UInt64?) {
        left = Locked(limit)
        // The last requests are in flight when the allowance ends; small ones waste round trips.
        minimum = max(65_536, (limit ?? 0) / 64)
    }

    /// Takes the bytes of the next request of one of `streams` streams; 0: none are left.
    ///
    /// The requests shrink with the remaining bytes, so that the streams end at about the same time.
    func take(upTo wanted: UInt64, streams: Int) -> UInt64 {
        left.withLock { left in
            guard let all = left else { return wanted }
            let piece = min(wanted, all, max(minimum, all / UInt64(max(1, 2 * streams))))
            guard piece >= min(minimum, wanted) else { return 0 }
            left = all - piece
            return piece
        }
    }

    /// Takes the bytes of a small request; false where fewer are left.
    func take(exactly bytes: UInt64) -> Bool {
        left.withLock { left in
            guard let all = left else { return true }
            guard all >= bytes else { return false }
            left = all - bytes
            return true
        }
    }

    /// Returns bytes that were taken and did not move.
    func giveBack(_ bytes: UInt64) {
        left.withLock { if let all = $0 { $0 = all + bytes } }
    }
}
