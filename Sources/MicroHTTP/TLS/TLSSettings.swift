/// What a handshake uses: the server's certificate, the versions of TLS, and what is asked of clients.
public struct TLSSettings: Sendable, Equatable {
    /// A version of TLS.
    public enum Version: Int, Sendable, CaseIterable, Comparable {
        case tls10, tls11, tls12, tls13

        /// The older one is less.
        public static func < (one: Version, other: Version) -> Bool { one.rawValue < other.rawValue }

        /// As in GnuTLS' priority strings.
        var name: String { "TLS1.\(rawValue)" }
    }

    /// Whether a client needs a certificate.
    public enum ClientCertificate: Sendable, CaseIterable {
        /// It is not asked for one.
        case none
        /// It may have one, which is not verified.
        case requested
        /// It must have one, which is not verified.
        case required
        /// It may have one, which is then verified.
        case verifiedIfGiven
        /// It must have one, which is verified.
        case requiredAndVerified

        /// Whether a certificate is verified.
        public var isVerified: Bool { self == .verifiedIfGiven || self == .requiredAndVerified }
        /// Whether a client without a certificate is refused.
        public var isRequired: Bool { self == .required || self == .requiredAndVerified }
    }

    /// PEM: the certificate, then those between it and the authority.
    public var certificate: [UInt8]
    /// PEM, not encrypted.
    public var key: [UInt8]
    /// What is asked of clients.
    public var clientCertificate = ClientCertificate.none
    /// PEM: the authorities that may have signed a client's certificate; nil: the system's.
    public var clientAuthorities: [UInt8]?
    /// DNS names, e-mail addresses, URIs or IP addresses of which a client's certificate must have one; nil: any will do.
    public var allowedClientNames: [String]?
    /// The versions that are spoken.
    public var versions: ClosedRange<Version> = .tls12 ... .tls13
    /// Whether the server's order of cipher suites goes before the client's.
    public var prefersOwnOrder = true

    /// A certificate and its key, without questions to clients.
    public init(certificate: [UInt8], key: [UInt8]) {
        self.certificate = certificate
        self.key = key
    }

    /// GnuTLS' priority string.
    var priority: String {
        let spoken = Version.allCases.reversed().filter(versions.contains).map { "+VERS-\($0.name)" }
        return (["NORMAL", "-VERS-ALL"] + spoken + (prefersOwnOrder ? ["%SERVER_PRECEDENCE"] : [])).joined(
            separator: ":"
        )
    }
}

/// Why settings cannot be used.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The setting.
    public enum Subject: Sendable {
        case certificate, key, clientAuthorities, versions
    }

    /// Which setting is wrong.
    public let subject: Subject
    /// What was expected and what was found.
    public let description: String
}
