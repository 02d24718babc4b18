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
