import CGnuTLS
import Posix

/// Settings that were checked and loaded; any number of handshakes use them.
public final class TLSContext: Sendable {
    /// What it was made from.
    public let settings: TLSSettings
    // Sendable by proof: written only before the first handshake, which reads them; GnuTLS allows that from any thread.
    nonisolated(unsafe) private let credentials: gnutls_certificate_credentials_t
    nonisolated(unsafe) private let priority: gnutls_priority_t

    /// Loads certificate, key and authorities.
    public init(_ settings: TLSSettings) throws(TLSError) {
        self.settings = settings
        var priority: gnutls_priority_t?
        guard gnutls_priority_init(&priority, settings.priority, nil) == GNUTLS_E_SUCCESS, let priority else {
            throw TLSError(subject: .versions, description: "GnuTLS has none of these versions of TLS")
        }
        var credentials: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&credentials) == GNUTLS_E_SUCCESS, let credentials else {
            gnutls_priority_deinit(priority)
            throw TLSError(subject: .certificate, description: "no memory for credentials")
        }
        // From here on `deinit` frees both.
        (self.credentials, self.priority) = (credentials, priority)
        try checkVersions()
        try load()
    }

    deinit {
        gnutls_certificate_free_credentials(credentials)
        gnutls_priority_deinit(priority)
    }

    /// In bytes, of one message of a handshake.
    ///
    /// GnuTLS takes 128 KiB, and 50 ms for a certificate of that size with many names.
    private static let longestMessage = 32 * 1024

    /// Prepares a session, whose handshake has not begun; the context must outlive it.
    func apply(to session: gnutls_session_t) {
        gnutls_priority_set(session, priority)
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        gnutls_handshake_set_max_packet_length(session, Self.longestMessage)
        gnutls_session_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
        guard settings.clientCertificate != .none else { return }
        let isRequired = settings.clientCertificate.isRequired
        gnutls_certificate_server_set_request(session, isRequired ? GNUTLS_CERT_REQUIRE : GNUTLS_CERT_REQUEST)
        gnutls_session_set_verify_function(session, verifyClient)
    }

    /// In the handshake: whether the client's certificate is accepted.
    fileprivate func accepts(_ session: gnutls_session_t) -> Bool {
        var count: UInt32 = 0
        guard let certificates = gnutls_certificate_get_peers(session, &count), count > 0 else {
            return !settings.clientCertificate.isRequired && settings.allowedClientNames == nil
        }
        if settings.clientCertificate.isVerified, !Self.isTrusted(session) { return false }
        guard let allowed = settings.allowedClientNames else { return true }
        return ClientNames.of(certificates[0]).contains(where: allowed.contains)
    }

    /// Whether an authority vouches for the certificate, as one of a client.
    private static func isTrusted(_ session: gnutls_session_t) -> Bool {
        var purpose = Array("1.3.6.1.5.5.7.3.2".utf8)  // GNUTLS_KP_TLS_WWW_CLIENT
        purpose.append(0)
        return purpose.withUnsafeMutableBufferPointer { purpose in
            var data = gnutls_typed_vdata_st(
                type: GNUTLS_DT_KEY_PURPOSE_OID,
                data: purpose.baseAddress,
                size: 0
            )
            var status: UInt32 = 0
            return gnutls_certificate_verify_peers(session, &data, 1, &status) == GNUTLS_E_SUCCESS && status == 0
        }
    }
}

extension TLSContext {
    /// The distribution's policy may have taken a version away.
    private func checkVersions() throws(TLSError) {
        var list: UnsafePointer<UInt32>?
        let count = gnutls_priority_protocol_list(priority, &list)
        let found = (0..<max(0, Int(count))).compactMap { list?[$0] }
        let numbers: [TLSSettings.Version: gnutls_protocol_t] = [
            .tls10: GNUTLS_TLS1_0, .tls11: GNUTLS_TLS1_1, .tls12: GNUTLS_TLS1_2, .tls13: GNUTLS_TLS1_3,
        ]
        for version in TLSSettings.Version.allCases where settings.versions.contains(version) {
            guard let number = numbers[version], found.contains(UInt32(number.rawValue)) else {
                throw TLSError(subject: .versions, description: "\(version.name) is disabled on this system")
            }
        }
    }

    private func load() throws(TLSError) {
        try Self.checkCertificates(settings.certificate, .certificate)
        let status = settings.certificate.withDatum { certificate in
            settings.key.withDatum { key in
                gnutls_certificate_set_x509_key_mem2(credentials, &certificate, &key, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        guard status >= 0 else {
            let reason =
                switch status {
                case GNUTLS_E_CERTIFICATE_KEY_MISMATCH: "it is not the key of the certificate"
                case GNUTLS_E_DECRYPTION_FAILED: "it is encrypted"
                default: Self.message(status)
                }
            throw TLSError(subject: .key, description: "expected a private key in PEM format: \(reason)")
        }
        guard settings.clientCertificate.isVerified else { return }
        guard let authorities = settings.clientAuthorities else {
            guard gnutls_certificate_set_x509_system_trust(credentials) > 0 else {
                throw TLSError(subject: .clientAuthorities, description: "the system has no certificate authorities")
            }
            return
        }
        try Self.checkCertificates(authorities, .clientAuthorities)
        let count = authorities.withDatum {
            gnutls_certificate_set_x509_trust_mem(credentials, &$0, GNUTLS_X509_FMT_PEM)
        }
        guard count > 0 else {
            throw TLSError(subject: .clientAuthorities, description: "expected certificates: \(Self.message(count))")
        }
    }

    private static func checkCertificates(_ pem: [UInt8], _ subject: TLSError.Subject) throws(TLSError) {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        let status = pem.withDatum { gnutls_x509_crt_list_import2(&list, &count, &$0, GNUTLS_X509_FMT_PEM, 0) }
        guard status >= 0, let list else {
            throw TLSError(subject: subject, description: "expected a certificate in PEM format: \(message(status))")
        }
        for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
        nhe_gnutls_free(list)
    }

    private static func message(_ status: Int32) -> String { gnutls_strerror(status).map { String(cString: $0) } ?? "" }
}

/// GnuTLS' callback in a handshake in which the client has sent a certificate, or no certificate.
private func verifyClient(_ session: gnutls_session_t?) -> Int32 {
    guard let session, let pointer = gnutls_session_get_ptr(session) else { return GNUTLS_E_CERTIFICATE_ERROR }
    let context = Unmanaged<TLSContext>.fromOpaque(pointer).takeUnretainedValue()
    return context.accepts(session) ? 0 : GNUTLS_E_CERTIFICATE_ERROR
}

extension [UInt8] {
    /// Calls `body` with the bytes as GnuTLS takes them.
    fileprivate func withDatum<Result>(_ body: (inout gnutls_datum_t) -> Result) -> Result {
        withUnsafeBufferPointer { bytes in
            // GnuTLS takes a mutable pointer and only reads.
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: bytes.baseAddress),
                size: UInt32(clamping: bytes.count)
            )
            return body(&datum)
        }
    }
}
