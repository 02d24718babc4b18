/// A resource record, as far as a probe is interested in it (RFC 1035 4.1.3).
struct DNSRecord: Equatable {
    var owner: DNSName
    var type: UInt16
    /// IN, or the sender's payload size in an OPT record.
    var recordClass: UInt16
    /// The upper eight bits of the response code in an OPT record (RFC 6891 6.1.3).
    var extendedCode: UInt8
    /// Where a CNAME leads.
    var target: DNSName?

    /// Reads the next record; data that its type does not allow is refused.
    init(from reader: inout DNSReader, in bytes: RawSpan) throws(DNSMessageError) {
        owner = try reader.name(in: bytes)
        type = try reader.number(in: bytes)
        recordClass = try reader.number(in: bytes)
        extendedCode = try reader.byte(in: bytes)
        try reader.skip(3, in: bytes)
        let length = Int(try reader.number(in: bytes))
        var data = reader
        try reader.skip(length, in: bytes)
        // Whatever the data refers to lies before its end.
        let upToEnd = bytes.extracting(first: reader.offset)
        target = try Self.check(type, &data, in: upToEnd)
        guard data.offset == reader.offset else { throw .malformed("data of type \(type)", offset: data.offset) }
    }

    /// Walks the data of the types that may be asked for; the target of a CNAME comes back.
    private static func check(
        _ type: UInt16,
        _ data: inout DNSReader,
        in bytes: RawSpan
    ) throws(DNSMessageError) -> DNSName? {
        switch type {
        case DNSOptions.RecordType.a.number: try data.skip(4, in: bytes)
        case DNSOptions.RecordType.aaaa.number: try data.skip(16, in: bytes)
        case DNSOptions.RecordType.mx.number:
            try data.skip(2, in: bytes)
            _ = try data.name(in: bytes)
        case DNSOptions.RecordType.txt.number:
            // One string or more, each after its length.
            repeat { try data.skip(Int(try data.byte(in: bytes)), in: bytes) } while data.offset < bytes.byteCount
        case DNSNumber.cname: return try data.name(in: bytes)
        default: try data.skip(bytes.byteCount - data.offset, in: bytes)
        }
        return nil
    }
}
