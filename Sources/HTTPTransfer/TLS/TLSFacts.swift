import CCurl
package import FoundationEssentials

/// What a TLS handshake has agreed on, and what the server has proved.
package struct TLSFacts: Sendable, Equatable {
    /// In bytes; the certificate of a server is rarely larger than 8 KiB, and a name in it takes at least three bytes.
    private static let certificateLimit = 16 * 1024

    /// `TLS 1.3`.
    package var version: String
    /// By its name in the registry of IANA, such as `TLS_AES_128_GCM_SHA256`.
    package var cipher: String?
    /// The server's own, in DER, for `CertificateFacts`; nil for one of more than 16 KiB.
    package var certificate: [UInt8]?
    /// When the last of the chains expires that lead to a trusted certificate; nil where none was asked for.
    package var chainExpiry: Date?

    package init(version: String, cipher: String? = nil, certificate: [UInt8]? = nil, chainExpiry: Date? = nil) {
        self.version = version
        self.cipher = cipher
        self.certificate = certificate
        self.chainExpiry = chainExpiry
    }

    /// - Parameters:
    ///   - session: after its handshake.
    ///   - isVerified: whether a chain to a trusted certificate was asked for.
    init(_ session: gnutls_session_t, isVerified: Bool) {
        let name =
            gnutls_protocol_get_name(gnutls_protocol_get_version(session)).map { String(cString: $0) } ?? "unknown"
        version = name.hasPrefix("TLS1") ? "TLS \(name.dropFirst(3))" : name
        cipher = gnutls_ciphersuite_get(session).map { String(cString: $0) }
        guard let shown = ShownCertificates(session) else { return }
        certificate = shown.bytes.first.flatMap { Int($0.size) <= Self.certificateLimit ? Array($0.bytes) : nil }
        if isVerified, let trusted = nhe_tls_trusted(session) {
            chainExpiry = TrustedChains(shown, trusted: trusted).lastExpiry
        }
    }
}

extension gnutls_datum_t {
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: data, count: data == nil ? 0 : Int(size)) }
}
