/// One query, as it is sent.
struct DNSQuery: Sendable, Equatable {
    /// Fits into one packet on nearly every path, so that answers are not fragmented (DNS flag day 2020).
    static let payloadSize: UInt16 = 1232

    /// Should be unpredictable: a forger must guess it.
    var id: UInt16
    var name: DNSName
    var type: DNSProbe.RecordType

    /// The message: recursion desired, one question, an OPT record with nothing in it (RFC 1035 4.1, RFC 6891 6.1).
    func encoded() -> [UInt8] {
        var message: [UInt8] = []
        message.append(bigEndian: id)
        message.append(bigEndian: 0x0100)
        // One question, no answer, no authority, one additional record.
        for count: UInt16 in [1, 0, 0, 1] { message.append(bigEndian: count) }
        message += name.bytes
        message.append(bigEndian: type.number)
        message.append(bigEndian: DNSNumber.internet)
        // The record: the root as its name, its type, our size in place of the class, a TTL of zeros, no data.
        message.append(0)
        message.append(bigEndian: DNSNumber.opt)
        message.append(bigEndian: Self.payloadSize)
        message += [0, 0, 0, 0, 0, 0]
        return message
    }

    /// The message after its length, as TCP carries it (RFC 1035 4.2.2).
    func encodedForStream() -> [UInt8] {
        let message = encoded()
        var bytes: [UInt8] = []
        // At most 12 + 255 + 4 + 11 bytes.
        bytes.append(bigEndian: UInt16(message.count))
        return bytes + message
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: UInt16) {
        append(UInt8(value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }
}

/// Numbers of RFC 1035 and of the registry of DNS parameters.
enum DNSNumber {
    static let headerLength = 12
    /// The class IN.
    static let internet: UInt16 = 1
    static let cname: UInt16 = 5
    /// EDNS(0), RFC 6891.
    static let opt: UInt16 = 41
}

extension DNSProbe.RecordType {
    /// TYPE of the wire.
    var number: UInt16 {
        switch self {
        case .a: 1
        case .mx: 15
        case .txt: 16
        case .aaaa: 28
        }
    }
}
