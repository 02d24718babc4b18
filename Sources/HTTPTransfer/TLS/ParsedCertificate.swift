import CCurl
import FoundationEssentials

/// A certificate that GnuTLS has parsed.
///
/// Not Sendable: made and used on one thread.
final class ParsedCertificate {
    private let handle: gnutls_x509_crt_t

    /// Takes over a handle that the library has made.
    init(owning handle: gnutls_x509_crt_t) { self.handle = handle }

    /// - Returns: nil for bytes that are no certificate.
    convenience init?(der bytes: UnsafeBufferPointer<UInt8>) { self.init(bytes, GNUTLS_X509_FMT_DER) }

    /// The first of a PEM file.
    ///
    /// - Returns: nil for a file without a certificate that can be read.
    convenience init?(pem bytes: UnsafeBufferPointer<UInt8>) { self.init(bytes, GNUTLS_X509_FMT_PEM) }

    private convenience init?(_ bytes: UnsafeBufferPointer<UInt8>, _ format: gnutls_x509_crt_fmt_t) {
        var handle: gnutls_x509_crt_t?
        guard gnutls_x509_crt_init(&handle) >= 0, let handle else { return nil }
        self.init(owning: handle)
        var datum = gnutls_datum_t(
            data: UnsafeMutablePointer(mutating: bytes.baseAddress),
            size: UInt32(clamping: bytes.count)
        )
        guard gnutls_x509_crt_import(handle, &datum, format) >= 0 else { return nil }
    }

    deinit { gnutls_x509_crt_deinit(handle) }

    /// The handle is valid during `body` only.
    func withHandle<Result>(_ body: (gnutls_x509_crt_t) -> Result) -> Result {
        withExtendedLifetime(self) { body(handle) }
    }

    /// nil: it has none that can be read.
    var expiry: Date? {
        let time = withHandle(gnutls_x509_crt_get_expiration_time)
        // The library's number for 99991231235959Z, the end of a certificate without one (RFC 5280, 4.1.2.5).
        if time == time_t(4_294_197_631) { return Date(timeIntervalSince1970: 253_402_300_799) }
        return time < 0 ? nil : Date(timeIntervalSince1970: Double(time))
    }

    /// The names as they are encoded, to compare them.
    var subject: [UInt8] { withHandle { handle in Self.bytes { gnutls_x509_crt_get_raw_dn(handle, &$0) } } }
    var issuer: [UInt8] { withHandle { handle in Self.bytes { gnutls_x509_crt_get_raw_issuer_dn(handle, &$0) } } }

    /// The bytes that a call of the library allocates; empty where it fails.
    static func bytes(_ call: (inout gnutls_datum_t) -> Int32) -> [UInt8] {
        var datum = gnutls_datum_t()
        guard call(&datum) >= 0 else { return [] }
        defer { nhe_tls_free(datum.data) }
        return Array(datum.bytes)
    }
}

extension TransferTLS {
    /// Whether a file of PEM text has a certificate that can be read.
    package static func hasCertificate(_ file: [UInt8]) -> Bool {
        file.withUnsafeBufferPointer { ParsedCertificate(pem: $0) != nil }
    }
}
