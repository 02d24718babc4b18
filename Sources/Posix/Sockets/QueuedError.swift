import CLinux
import Glibc

/// `struct sock_extended_err`: why a message is on the error queue.
package struct QueuedError: Sendable, Equatable {
    package enum Origin: Sendable, Equatable {
        /// An ICMP error: the message holds what it quotes of ours.
        case icmp
        /// No error: the moment at which a message of ours left.
        case timestamp
        case other
    }

    package let origin: Origin
    /// The errno that stands for it.
    package let code: Int32
    /// Which message left: they are counted from 0 (SOF_TIMESTAMPING_OPT_ID).
    package let key: UInt32

    /// - Returns: nil for too few bytes.
    init?(parsing bytes: RawSpan) {
        guard bytes.byteCount >= 16 else { return nil }
        code = Int32(truncatingIfNeeded: bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self))
        origin =
            switch Int32(bytes.unsafeLoadUnaligned(fromByteOffset: 4, as: UInt8.self)) {
            case SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6: .icmp
            case SO_EE_ORIGIN_TIMESTAMPING: .timestamp
            default: .other
            }
        key = bytes.unsafeLoadUnaligned(fromByteOffset: 12, as: UInt32.self)
    }
}
