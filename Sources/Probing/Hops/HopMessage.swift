import Posix

/// The datagram of a hop probe: `nhe-hop ` and four hexadecimal digits.
///
/// Its text names the program in a capture. An answer to a probe quotes it, or at least its ports.
struct HopMessage: Sendable, Equatable {
    /// traceroute(8) counts up from here, so firewalls let it pass and intrusion detection knows it; the distance is added.
    static let basePort: UInt16 = 33434
    /// Bytes of UDP's payload.
    static let byteCount = 12

    private static let name = Array("nhe-hop ".utf8)
    private static let digits = Array("0123456789abcdef".utf8)

    /// Which probe it is.
    let number: UInt16

    var bytes: [UInt8] {
        Self.name + stride(from: 12, through: 0, by: -4).map { Self.digits[Int(number >> $0 & 0xf)] }
    }

    /// The port of probes to a router so many hops away: always the same, so that all take one of several equal paths.
    static func port(of distance: Int) -> UInt16 { basePort + UInt16(clamping: distance) }

    /// How far a probe to this port was to come; nil: it is no such port.
    static func distance(of port: UInt16) -> Int? {
        let distance = Int(port) - Int(basePort)
        return HopConfiguration.distances.contains(distance) ? distance : nil
    }

    init(number: UInt16) { self.number = number }

    /// Reads what an ICMP error quotes of UDP's payload; nil where it is too little: RFC 792 guarantees none of it.
    init?(quoted bytes: RawSpan) {
        guard bytes.byteCount >= Self.byteCount else { return nil }
        let quoted = (0..<Self.byteCount).map { bytes.byte(at: $0) }
        guard quoted.starts(with: Self.name) else { return nil }
        var number: UInt16 = 0
        for digit in quoted.dropFirst(Self.name.count) {
            guard let value = Self.digits.firstIndex(of: digit) else { return nil }
            number = number << 4 | UInt16(value)
        }
        self.number = number
    }
}

/// Bytes of the IP packets of hop probes.
enum HopBytes {
    private static let header = 8

    static func sent(_ family: AddressFamily) -> UInt64 {
        UInt64(family.headerBytes + header + HopMessage.byteCount)
    }

    /// Of an ICMP error that quotes so many bytes of UDP's payload.
    static func received(_ family: AddressFamily, quoted: Int) -> UInt64 {
        UInt64(2 * (family.headerBytes + header) + quoted)
    }
}
