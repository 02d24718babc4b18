/// The answer to one query.
struct DNSResponse: Sendable, Equatable {
    var code: DNSResponseCode
    /// The answer did not fit: only the header and the question were read, and the query must be repeated over TCP.
    var isTruncated: Bool
    /// The counts of the header.
    var answers: Int
    var authorities: Int
    var additionals: Int
    /// Whether a record of the type is there, of the name or of what its CNAMEs lead to.
    var hasAnswer = false

    /// Reads a message as the answer to `query`; throws `.foreign` where it is the answer to nothing or to another.
    init(_ bytes: RawSpan, to query: DNSQuery) throws(DNSMessageError) {
        var reader = DNSReader()
        // It may be forged, too.
        guard let id = try? reader.number(in: bytes) else { throw .foreign("a message without an id") }
        guard id == query.id else { throw .foreign("the answer to another query") }
        let flags = try reader.number(in: bytes)
        // QR is set, the operation is a standard query.
        guard flags & 0xf800 == 0x8000 else { throw .foreign("a message that is no answer") }
        isTruncated = flags & 0x0200 != 0
        code = DNSResponseCode(rawValue: flags & 0x000f)
        let questions = try reader.number(in: bytes)
        answers = Int(try reader.number(in: bytes))
        authorities = Int(try reader.number(in: bytes))
        additionals = Int(try reader.number(in: bytes))
        // A server that could not even read the question may leave it out.
        if questions > 0 || code == .noError {
            guard questions == 1, try Self.question(&reader, in: bytes) == query.question else {
                throw .foreign("the answer to another question")
            }
        }
        guard !isTruncated else { return }
        var found: [DNSRecord] = []
        for _ in 0..<answers { found.append(try DNSRecord(from: &reader, in: bytes)) }
        for _ in 0..<authorities { _ = try DNSRecord(from: &reader, in: bytes) }
        var isExtended = false
        for _ in 0..<additionals {
            let start = reader.offset
            let record = try DNSRecord(from: &reader, in: bytes)
            guard record.type == DNSNumber.opt else { continue }
            guard !isExtended else { throw .malformed("second OPT record", offset: start) }
            isExtended = true
            code.rawValue |= UInt16(record.extendedCode) << 4
        }
        hasAnswer = Self.leads(from: query.name, to: query.type.number, along: found)
    }

    private static func question(
        _ reader: inout DNSReader,
        in bytes: RawSpan
    ) throws(DNSMessageError) -> DNSQuestion {
        DNSQuestion(
            name: try reader.name(in: bytes),
            type: try reader.number(in: bytes),
            questionClass: try reader.number(in: bytes)
        )
    }

    /// Follows CNAMEs, in whatever order they come; each at most once, so that a loop ends.
    private static func leads(from name: DNSName, to type: UInt16, along records: [DNSRecord]) -> Bool {
        let records = records.filter { $0.recordClass == DNSNumber.internet }
        let owners = Set(records.lazy.filter { $0.type == type }.map(\.owner))
        let aliases = Dictionary(records.compactMap { record in record.target.map { (record.owner, $0) } }) { $1 }
        var name = name
        for _ in 0...aliases.count {
            if owners.contains(name) { return true }
            guard let next = aliases[name] else { return false }
            name = next
        }
        return false
    }
}

/// The question section of a message.
private struct DNSQuestion: Equatable {
    var name: DNSName
    var type: UInt16
    var questionClass: UInt16
}

extension DNSQuery {
    fileprivate var question: DNSQuestion {
        DNSQuestion(name: name, type: type.number, questionClass: DNSNumber.internet)
    }
}

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
        // Compression pointers in the data point to bytes before its end.
        let upToEnd = bytes.extracting(first: reader.offset)
        target = try Self.check(type, &data, in: upToEnd)
        guard data.offset == reader.offset else { throw .malformed("data of type \(type)", offset: data.offset) }
    }

    /// Checks the data of the types that can be queried; returns the target of a CNAME.
    private static func check(
        _ type: UInt16,
        _ data: inout DNSReader,
        in bytes: RawSpan
    ) throws(DNSMessageError) -> DNSName? {
        switch type {
        case DNSProbe.RecordType.a.number: try data.skip(4, in: bytes)
        case DNSProbe.RecordType.aaaa.number: try data.skip(16, in: bytes)
        case DNSProbe.RecordType.mx.number:
            try data.skip(2, in: bytes)
            _ = try data.name(in: bytes)
        case DNSProbe.RecordType.txt.number:
            // One string or more, each after its length.
            repeat { try data.skip(Int(try data.byte(in: bytes)), in: bytes) } while data.offset < bytes.byteCount
        case DNSNumber.cname: return try data.name(in: bytes)
        default: try data.skip(bytes.byteCount - data.offset, in: bytes)
        }
        return nil
    }
}

/// How a server answered (RFC 1035 4.1.1, RFC 6895 2.3), twelve bits with those of EDNS.
struct DNSResponseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    static let noError = DNSResponseCode(rawValue: 0)

    private static let names: [UInt16: String] = [
        0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED", 6: "YXDOMAIN",
        7: "YXRRSET", 8: "NXRRSET", 9: "NOTAUTH", 10: "NOTZONE", 16: "BADVERS", 23: "BADCOOKIE",
    ]

    var rawValue: UInt16

    var description: String { Self.names[rawValue] ?? "RCODE \(rawValue)" }
}

/// Reads bytes as if a server had sent them, for the fuzzer: that may throw and must not trap.
///
/// - Returns: whether an answer to the message's own question was read.
package func fuzzDNS(_ bytes: RawSpan) -> Bool {
    // The records are parsed whatever the header and the question are, so that a fuzzed header hides nothing.
    var reader = DNSReader()
    let id = (try? reader.number(in: bytes)) ?? 0
    reader = DNSReader(at: DNSNumber.headerLength)
    guard let name = try? reader.name(in: bytes), let number = try? reader.number(in: bytes) else { return false }
    // A name reads as itself once its pointers are gone.
    var written = DNSReader()
    precondition((try? written.name(in: name.bytes.span.bytes)) == name)
    let type = DNSProbe.RecordType.allCases.first { $0.number == number } ?? .a
    let query = DNSQuery(id: id, name: name, type: type)
    var question = DNSReader(at: DNSNumber.headerLength)
    precondition((try? question.name(in: query.encoded().span.bytes)) == name)
    let response = try? DNSResponse(bytes, to: query)
    guard (try? reader.skip(2, in: bytes)) != nil else { return response != nil }
    while (try? DNSRecord(from: &reader, in: bytes)) != nil {}
    return response != nil
}
