import CGnuTLS
import Posix

/// The alternative names of a certificate, as text.
enum ClientNames {
    /// The names of a certificate in DER format: DNS names, e-mail addresses, URIs and IP addresses.
    static func of(_ der: gnutls_datum_t) -> [String] {
        var certificate: gnutls_x509_crt_t?
        guard gnutls_x509_crt_init(&certificate) == GNUTLS_E_SUCCESS else { return [] }
        defer { gnutls_x509_crt_deinit(certificate) }
        var der = der
        guard gnutls_x509_crt_import(certificate, &der, GNUTLS_X509_FMT_DER) == GNUTLS_E_SUCCESS else { return [] }
        var names: [String] = []
        var buffer = [UInt8](repeating: 0, count: 2048)
        for index in 0..<maximum {
            var size = buffer.count
            let type = gnutls_x509_crt_get_subject_alt_name(certificate, UInt32(index), &buffer, &size, nil)
            if type == GNUTLS_E_SHORT_MEMORY_BUFFER { continue }
            guard type >= 0 else { break }
            let bytes = Array(buffer[..<size])
            switch UInt32(type) {
            case GNUTLS_SAN_DNSNAME.rawValue, GNUTLS_SAN_RFC822NAME.rawValue, GNUTLS_SAN_URI.rawValue:
                if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
            case GNUTLS_SAN_IPADDRESS.rawValue:
                if let address = IPAddress(bytes: bytes) { names.append("\(address)") }
            default: break
            }
        }
        return names
    }

    /// Further names of one certificate are ignored.
    private static let maximum = 1000
}
