import Coordination
import Statistics

/// The bytes that may still move in one direction.
///
/// Every request takes its bytes from here before it is sent. A server that has no sizes sends more than that: such a body
/// takes more as it comes, and it ends, with the load, while what is in flight still fits.
final class ByteAllowance: Sendable {
    private let left: Locked<UInt64?>
    private let inFlight = Locked<UInt64>(0)
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

    /// Takes bytes of a body that continues beyond what its request took.
    ///
    /// - Returns: false where no more fit beside what is in flight: the load must end.
    func take(more bytes: UInt64) -> Bool {
        let reserve = reserved
        return left.withLock { left in
            guard let all = left else { return true }
            guard all >= bytes.addingSaturated(reserve) else { return false }
            left = all - bytes
            return true
        }
    }

    /// What still arrives when the load ends now.
    var reserved: UInt64 { inFlight.withLock { $0 } }

    /// Keeps room for what still arrives when the load ends: what the path delivers in a round trip under load.
    func reserve(bytesPerSecond: Double?, roundTrip: Duration?) {
        let bytes = max(0, (bytesPerSecond ?? 0) * (roundTrip?.seconds ?? 0))
        inFlight.withLock { $0 = UInt64(min(bytes, 0x1p62)) }
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
