import Posix

/// Runs every parser of ICMP over bytes as if the kernel had sent them, for the fuzzer: they may throw and must not trap.
///
/// - Returns: whether a reply or a quoted request was read.
package func fuzzICMP(_ bytes: RawSpan) -> Bool {
    _ = ControlMessages(parsing: bytes)
    return AddressFamily.allCases.contains { family in
        let readings = [
            (try? EchoMessage(reply: bytes, family: family, hasIPHeader: false)) != nil,
            (try? EchoMessage(reply: bytes, family: family, hasIPHeader: true)) != nil,
            (try? QuotedEcho(parsing: bytes, family: family)) != nil,
        ]
        return readings.contains(true)
    }
}
