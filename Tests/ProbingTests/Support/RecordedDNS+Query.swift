import Lab

@testable import Probing

extension RecordedDNS {
    static let id: UInt16 = 0x1a2b

    static func query(_ name: String = "www.example.com", _ type: DNSProbe.RecordType = .a) throws -> DNSQuery {
        DNSQuery(id: id, name: try DNSName(name), type: type)
    }
}

extension DNSResponse {
    init(_ bytes: [UInt8], to query: DNSQuery) throws(DNSMessageError) {
        self = try DNSResponse(bytes.span.bytes, to: query)
    }
}
