/// Reads bytes as if a server had sent them, for the fuzzers: that may throw and must not trap.
package func fuzzDNS(_ bytes: RawSpan) {
    // Whatever the header and the question say, so that a changed one hides nothing.
    var reader = DNSReader()
    let id = (try? reader.number(in: bytes)) ?? 0
    reader = DNSReader(at: DNSNumber.headerLength)
    guard let name = try? reader.name(in: bytes), let number = try? reader.number(in: bytes) else { return }
    let type = DNSOptions.RecordType.allCases.first { $0.number == number } ?? .a
    _ = try? DNSResponse(bytes, to: DNSQuery(id: id, name: name, type: type))
    guard (try? reader.skip(2, in: bytes)) != nil else { return }
    while (try? DNSRecord(from: &reader, in: bytes)) != nil {}
}
