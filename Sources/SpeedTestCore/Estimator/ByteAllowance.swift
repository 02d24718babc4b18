import Locking

/// What may still be asked for in one direction: every request takes its bytes from here before it is sent.
final class ByteAllowance: Sendable {
    private let left: Locked<UInt64?>
    /// Less than this is not worth a request.
    private let minimum: UInt64

    /// - Parameter limit: nil: no limit.
    init(limit: UInt64?) {
        left = Locked(limit)
        // The last requests are in flight when it is used up; small ones waste round trips.
        minimum = max(65_536, (limit ?? 0) / 64)
    }

    /// Takes what one of so many streams may ask for next; 0: nothing is left for it.
    ///
    /// The pieces shrink with what is left, so that the streams end about together.
    func take(upTo wanted: UInt64, streams: Int) -> UInt64 {
        left.withLock { left in
            guard let all = left else { return wanted }
            let piece = min(wanted, all, max(minimum, all / UInt64(max(1, 2 * streams))))
            guard piece >= min(minimum, wanted) else { return 0 }
            left = all - piece
            return piece
        }
    }

    /// Takes so many for a small request; false when there are not so many.
    func take(exactly bytes: UInt64) -> Bool {
        left.withLock { left in
            guard let all = left else { return true }
            guard all >= bytes else { return false }
            left = all - bytes
            return true
        }
    }

    /// Returns what was taken and did not move.
    func giveBack(_ bytes: UInt64) {
        left.withLock { if let all = $0 { $0 = all + bytes } }
    }
}
