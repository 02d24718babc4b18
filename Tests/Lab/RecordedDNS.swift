/// DNS messages as servers sent them, by hand cut to what matters; each has the id 0x1a2b.
package enum RecordedDNS {
    /// `www.example.com A`: a CNAME to `web.example.com`, its address, and an OPT record.
    package static let aliased = bytes(
        hexadecimal:
            """
            1a2b 8180 0001 0002 0000 0001
            03777777 076578616d706c65 03636f6d 00 0001 0001
            c00c 0005 0001 0000003c 0006 03776562 c010
            c02d 0001 0001 0000003c 0004 c6120001
            00 0029 04d0 00000000 0000
            """
    )

    /// `www.example.com AAAA`, with upper-case letters in the question.
    package static let ipv6 = bytes(
        hexadecimal:
            """
            1a2b 8180 0001 0001 0000 0000
            03575757 076578616d706c65 03434f4d 00 001c 0001
            c00c 001c 0001 0000003c 0010 20010db8000000000000000000000001
            """
    )

    /// `www.example.com TXT`: two strings, one of them empty.
    package static let text = bytes(
        hexadecimal:
            """
            1a2b 8180 0001 0001 0000 0000
            03777777 076578616d706c65 03636f6d 00 0010 0001
            c00c 0010 0001 0000003c 0007 05 68656c6c6f 00
            """
    )

    /// `www.example.com MX`: preference 10, `mx.example.com`; its address among the additional records.
    package static let mail = bytes(
        hexadecimal:
            """
            1a2b 8180 0001 0001 0000 0001
            03777777 076578616d706c65 03636f6d 00 000f 0001
            c00c 000f 0001 0000003c 0007 000a 026d78 c010
            c02f 0001 0001 0000003c 0004 c6120002
            """
    )

    /// `www.example.com A`: NXDOMAIN with the zone's SOA.
    package static let missing = bytes(
        hexadecimal:
            """
            1a2b 8183 0001 0000 0001 0001
            03777777 076578616d706c65 03636f6d 00 0001 0001
            c010 0006 0001 0000003c 001b 026e73 c010 c02d 00000001 00000002 00000003 00000004 00000005
            00 0029 04d0 00000000 0000
            """
    )

    /// BADVERS: 16, of which the header holds the lower four bits and the OPT record the others.
    package static let badVersion = bytes(
        hexadecimal:
            """
            1a2b 8180 0001 0000 0000 0001
            03777777 076578616d706c65 03636f6d 00 0001 0001
            00 0029 04d0 01000000 0000
            """
    )

    package static let all = [aliased, ipv6, text, mail, missing, badVersion]
}

/// The bytes of hexadecimal digits, with any space between them.
package func bytes(hexadecimal digits: String) -> [UInt8] {
    let digits = digits.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
