import CCurl

/// What the certificate of a server says.
package struct CertificateFacts: Sendable, Equatable {
    /// SHA-256 of the whole, in hexadecimal digits.
    package let fingerprint: String
    /// As RFC 4514 writes a name: `CN=example.com,O=Example,C=US`; empty without one.
    package let subject: String
    package let issuer: String
    /// The names of hosts that it is for (RFC 5280, 4.2.1.6), in its order.
    package let names: [String]
    /// In hexadecimal digits, without leading zero bytes.
    package let serial: String

    /// Reads DER, which is the server's: it may contain anything.
    ///
    /// - Returns: nil for bytes that are no certificate.
    package init?(der bytes: [UInt8]) {
        guard let certificate = bytes.withUnsafeBufferPointer({ ParsedCertificate(der: $0) }) else { return nil }
        self = certificate.withHandle { CertificateFacts($0) }
    }

    private init(_ handle: gnutls_x509_crt_t) {
        func number(_ capacity: Int, _ call: (UnsafeMutableRawPointer, inout Int) -> Int32) -> [UInt8] {
            var size = capacity
            var number = [UInt8](repeating: 0, count: capacity)
            let code = number.withUnsafeMutableBytes { buffer in buffer.baseAddress.map { call($0, &size) } ?? -1 }
            return code < 0 ? [] : Array(number.prefix(max(0, size)))
        }
        func text(_ call: (inout gnutls_datum_t) -> Int32) -> String {
            String(decoding: ParsedCertificate.bytes(call), as: UTF8.self)
        }
        fingerprint = Self.hexadecimal(
            number(32) { gnutls_x509_crt_get_fingerprint(handle, GNUTLS_DIG_SHA256, $0, &$1) }[...]
        )
        subject = text { gnutls_x509_crt_get_dn3(handle, &$0, 0) }
        issuer = text { gnutls_x509_crt_get_issuer_dn3(handle, &$0, 0) }
        // At most 20 bytes (RFC 5280, 4.1.2.2).
        serial = Self.hexadecimal(number(64) { gnutls_x509_crt_get_serial(handle, $0, &$1) }.drop { $0 == 0 })
        names = Self.names(of: handle)
    }

    private static func names(of handle: gnutls_x509_crt_t) -> [String] {
        let extensionBytes = ParsedCertificate.bytes {
            gnutls_x509_crt_get_extension_by_oid2(handle, "2.5.29.17", 0, &$0, nil)
        }
        var list: gnutls_subject_alt_names_t?
        guard !extensionBytes.isEmpty, gnutls_subject_alt_names_init(&list) >= 0, let list else { return [] }
        defer { gnutls_subject_alt_names_deinit(list) }
        var bytes = extensionBytes
        let isRead = bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(clamping: buffer.count))
            return gnutls_x509_ext_import_subject_alt_names(&datum, list, 0) >= 0
        }
        guard isRead else { return [] }
        var names: [String] = []
        // The certificate's size limits their number.
        for index in 0... {
            var kind: UInt32 = 0
            var name = gnutls_datum_t()
            guard gnutls_subject_alt_names_get(list, UInt32(index), &kind, &name, nil) >= 0 else { break }
            if kind == GNUTLS_SAN_DNSNAME.rawValue { names.append(String(decoding: name.bytes, as: UTF8.self)) }
        }
        return names
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self)
    }
}

/// Reads a certificate as a server shows it, for the fuzzer.
///
/// - Returns: whether it was accepted.
package func fuzzCertificate(_ bytes: [UInt8]) -> Bool { CertificateFacts(der: bytes) != nil }
