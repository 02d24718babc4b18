import Netlink
import Posix

/// Runs every parser of ICMP over bytes as if the kernel had sent them, for the fuzzers: they may throw, never trap.
package func fuzzICMP(_ bytes: RawSpan) {
    for family in AddressFamily.allCases {
        _ = try? EchoMessage(reply: bytes, family: family, hasIPHeader: false)
        _ = try? EchoMessage(reply: bytes, family: family, hasIPHeader: true)
        _ = try? QuotedEcho(parsing: bytes, family: family)
    }
    _ = ControlMessages(parsing: bytes)
}
