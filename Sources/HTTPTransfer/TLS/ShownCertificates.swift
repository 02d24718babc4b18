import CCurl
import FoundationEssentials

/// The certificates that a server has shown, its own first.
///
/// Valid as long as its session.
struct ShownCertificates {
    /// Certificates that are read; a server shows three or four.
    private static let limit = 16

    /// In DER.
    let bytes: Slice<UnsafeBufferPointer<gnutls_datum_t>>

    /// Nil where it has shown none.
    ///
    /// - Parameter session: after its handshake, whether or not the certificates are trusted.
    init?(_ session: gnutls_session_t) {
        var count: UInt32 = 0
        guard let first = gnutls_certificate_get_peers(session, &count), count > 0 else { return nil }
        self.init(UnsafeBufferPointer(start: first, count: Int(count)))
    }

    init(_ bytes: UnsafeBufferPointer<gnutls_datum_t>) { self.bytes = bytes.prefix(Self.limit) }

    /// Without those that cannot be read.
    var parsed: [ParsedCertificate] { bytes.compactMap { ParsedCertificate(der: $0.bytes) } }

    /// When the first of them expires.
    var earliestExpiry: Date? { parsed.compactMap(\.expiry).min() }
}
