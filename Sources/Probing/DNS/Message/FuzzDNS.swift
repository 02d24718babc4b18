/// Reads bytes as if a server had sent them, for the fuzzer: that may throw and must not trap.
///
/// - Returns: whether an answer to the message's own question was read.
package func fuzzDNS(_ bytes: RawSpan) -> Bool {
    // Whatever the header and the question say, so that a changed one hides nothing.
    var reader = DNSReader()
    let id = (try? reader.number(in: bytes)) ?? 0
    reader = DNSReader(at: DNSNumber.headerLength)
    guard let name = try? reader.name(in: bytes), let number = try? reader.number(in: bytes) else { return false }
    // A name reads as itself once its pointers are gone.
    var written = DNSReader()
    precondition((try? written.name(in: name.bytes.span.bytes)) == name)
    let type = DNSOptions.RecordType.allCases.first { $0.number == number } ?? .a
    let response = try? DNSResponse(bytes, to: DNSQuery(id: id, name: name, type: type))
    guard (try? reader.skip(2, in: bytes)) != nil else { return response != nil }
    while (try? DNSRecord(from: &reader, in: bytes)) != nil {}
    return response != nil
}
