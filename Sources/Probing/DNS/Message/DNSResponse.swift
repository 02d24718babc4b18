/// The answer to one query.
struct DNSResponse: Sendable, Equatable {
    var code: DNSResponseCode
    /// Did not fit; then only the header and the question were read, and the rest must be asked for over TCP.
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
        // Too short for an id of its own, it might still be a forger's.
        guard (try? reader.number(in: bytes)) == query.id else { throw .foreign("the answer to another query") }
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

/// What a message asks, or answers.
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
