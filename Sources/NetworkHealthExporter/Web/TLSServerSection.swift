import MicroHTTP
import StrictYAML

/// `tls_server_config`.
struct TLSServerSection: Sendable, Equatable {
    /// `client_auth_type`; the last is an older name.
    enum ClientAuth: String, CaseIterable {
        case none = "NoClientCert"
        case requested = "RequestClientCert"
        case required = "RequireAnyClientCert"
        case verifiedIfGiven = "VerifyClientCertIfGiven"
        case requiredAndVerified = "RequireAndVerifyClientCert"
        case requiredByItsOldName = "RequireClientCert"

        var setting: TLSSettings.ClientCertificate {
            switch self {
            case .none: .none
            case .requested: .requested
            case .required, .requiredByItsOldName: .required
            case .verifiedIfGiven: .verifiedIfGiven
            case .requiredAndVerified: .requiredAndVerified
            }
        }
    }

    /// `min_version` and `max_version`.
    enum Version: String, CaseIterable {
        case tls10 = "TLS10"
        case tls11 = "TLS11"
        case tls12 = "TLS12"
        case tls13 = "TLS13"

        var setting: TLSSettings.Version {
            switch self {
            case .tls10: .tls10
            case .tls11: .tls11
            case .tls12: .tls12
            case .tls13: .tls13
            }
        }
    }

    /// PEM, in a file or here; a file goes before the text.
    struct Source: Sendable, Equatable {
        var file: String?
        var text: String?

        var isSet: Bool { file != nil || text != nil }
    }

    var certificate = Source()
    var key = Source()
    var clientAuthorities = Source()
    var clientAuth: ClientAuth?
    var allowedNames: [String]?
    var minimum = Version.tls12
    var maximum = Version.tls13
    var prefersOwnOrder = true
    private var refused: Unsupported?

    /// Whether the server speaks TLS; the other keys alone do not turn it on.
    var isEnabled: Bool { certificate.isSet || key.isSet || clientAuthorities.isSet || clientAuth != nil }

    /// The files whose change is a change of the configuration.
    var files: [String] { [certificate, key, clientAuthorities].compactMap(\.file) }

    static var keys: [YAMLKey<TLSServerSection>] {
        [
            .key("cert_file", \.certificate.file, .emptyOr(.path)),
            .key("cert", \.certificate.text, .emptyOr(.pem)),
            .key("key_file", \.key.file, .emptyOr(.path)),
            .key("key", \.key.text, .emptyOr(.pem)),
            .key("client_ca_file", \.clientAuthorities.file, .emptyOr(.path)),
            .key("client_ca", \.clientAuthorities.text, .emptyOr(.pem)),
            .key("client_auth_type", \.clientAuth, .emptyOr(.oneOf)),
            .key("client_allowed_sans", \.allowedNames, .optional(.list(of: .nonEmptyString))),
            .key("min_version", \.minimum, .oneOf),
            .key("max_version", \.maximum, .oneOf),
            .key("prefer_server_cipher_suites", \.prefersOwnOrder, .bool),
            .key("cipher_suites", \.refused, .unsupported("\(libraryChooses) cipher suites: remove the key")),
            .key("curve_preferences", \.refused, .unsupported("\(libraryChooses) curves: remove the key")),
        ]
    }

    private static let libraryChooses = "GnuTLS and the system's policy choose the"

    static func complete(_ section: inout TLSServerSection, _ map: MappingReader) throws(YAMLError) {
        let type = section.clientAuth?.setting ?? .none
        if section.allowedNames != nil {
            guard type.isRequired else {
                throw map.error(
                    "expected client_auth_type RequireAnyClientCert or RequireAndVerifyClientCert beside it",
                    at: "client_allowed_sans"
                )
            }
            guard section.allowedNames?.isEmpty == false else {
                throw map.error("expected at least one, or no key", at: "client_allowed_sans")
            }
        }
        guard section.minimum.setting <= section.maximum.setting else {
            throw map.error("expected at most max_version, \(section.maximum.rawValue)", at: "min_version")
        }
        guard section.isEnabled else { return }
        guard section.certificate.isSet else { throw map.error("expected cert_file or cert") }
        guard section.key.isSet else { throw map.error("expected key_file or key") }
        if section.clientAuthorities.isSet, type == .none {
            throw map.error(
                "expected a client_auth_type beside it, such as RequireAndVerifyClientCert",
                at: section.clientAuthorities.file == nil ? "client_ca" : "client_ca_file"
            )
        }
    }
}

extension YAMLType where Value == String {
    /// Certificates or a key, which no message shows.
    fileprivate static var pem: YAMLType {
        .secret("a text in PEM format (-----BEGIN …)") { $0.contains("-----BEGIN ") }
    }
}
