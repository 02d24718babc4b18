import CCurl
import FoundationEssentials

/// The chains that lead from a server's certificate, by way of others that it has shown, to a trusted one.
///
/// libcurl does not report the chain that it has accepted. Signatures are not verified again.
struct TrustedChains {
    private struct Link {
        let certificate: ParsedCertificate
        let subject: [UInt8]
        let issuer: [UInt8]
        let expiry: Date
        /// When the last of the chains up to this certificate expires; nil: none leads to it.
        var reached: Date?
    }

    private let shown: [Link]
    private let trusted: gnutls_x509_trust_list_t

    /// - Parameters:
    ///   - shown: the server's own first.
    ///   - trusted: outlives this value.
    init(_ shown: ShownCertificates, trusted: gnutls_x509_trust_list_t) {
        self.trusted = trusted
        self.shown = shown.parsed.compactMap { certificate in
            guard let expiry = certificate.expiry else { return nil }
            return Link(
                certificate: certificate,
                subject: certificate.subject,
                issuer: certificate.issuer,
                expiry: expiry
            )
        }
    }

    /// A chain expires with the first of its certificates: of several chains, the last to expire; nil: there is none.
    var lastExpiry: Date? {
        var links = shown
        guard !links.isEmpty else { return nil }
        links[0].reached = links[0].expiry
        // A chain has at most all of them: so many rounds reach the end of each.
        for _ in links {
            for index in links.indices {
                guard let reached = links[index].reached else { continue }
                for next in links.indices where links[next].subject == links[index].issuer {
                    let expiry = min(reached, links[next].expiry)
                    links[next].reached = max(links[next].reached ?? expiry, expiry)
                }
            }
        }
        return links.compactMap { link in link.reached.flatMap { end(of: link.certificate, reached: $0) } }.max()
    }

    /// When a chain that ends after this certificate expires; nil: it is neither trusted nor issued by a trusted one.
    private func end(of certificate: ParsedCertificate, reached: Date) -> Date? {
        [isTrusted(certificate) ? reached : nil, issuer(of: certificate)?.expiry.map { min($0, reached) }]
            .compactMap(\.self).max()
    }

    private func issuer(of certificate: ParsedCertificate) -> ParsedCertificate? {
        certificate.withHandle { handle in
            var found: gnutls_x509_crt_t?
            let flags = GNUTLS_TL_GET_COPY.rawValue
            guard gnutls_x509_trust_list_get_issuer(trusted, handle, &found, flags) >= 0 else { return nil }
            return found.map(ParsedCertificate.init(owning:))
        }
    }

    private func isTrusted(_ certificate: ParsedCertificate) -> Bool {
        certificate.withHandle { handle in
            var found: gnutls_x509_crt_t?
            var subject = gnutls_datum_t()
            guard gnutls_x509_crt_get_raw_dn(handle, &subject) >= 0 else { return false }
            defer { nhe_tls_free(subject.data) }
            guard gnutls_x509_trust_list_get_issuer_by_dn(trusted, &subject, &found, 0) >= 0, let found
            else { return false }
            return ParsedCertificate(owning: found).withHandle { gnutls_x509_crt_equals(handle, $0) } != 0
        }
    }
}
