import Lab
import Testing

@testable import NetworkHealthExporter

/// The schema of Prometheus' exporter-toolkit: what starts, and what is refused with which reason.
struct WebConfigurationTests {
    static let certificate = "cert_file: server.crt"
    static let key = "key_file: server.key"
    private static let hash = "$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi"

    /// A file, and what is wrong with it; nil: it is valid.
    struct Case: Sendable, CustomTestStringConvertible {
        var yaml: String
        var error: String?

        init(_ yaml: String, _ error: String? = nil) {
            (self.yaml, self.error) = (yaml, error)
        }

        var testDescription: String { yaml }

        static func tls(_ lines: [String], _ error: String? = nil) -> Case {
            Case("tls_server_config:\n" + lines.map { "  \($0)\n" }.joined(), error)
        }

        /// With a certificate and its key.
        static func served(_ lines: [String], _ error: String? = nil) -> Case {
            tls([certificate, key] + lines, error)
        }
    }

    static let valid: [Case] = [
        Case(""), Case("# nothing\n"), Case("tls_server_config: {}"), Case("tls_server_config:\n"),
        Case("http_server_config: { http2: true }"), Case("http_server_config: { http2: false }"),
        Case("basic_auth_users: {}"), Case("basic_auth_users:\n"), Case("basic_auth_users:\n  alice: \(hash)\n"),
        Case("basic_auth_users: { alice: '\(hash)', bob: '\(hash)', \"with space\": '\(hash)' }"),
        .served([]), .served(["cert: ''", "key: ''", "client_ca_file: ''", "client_auth_type: ''"]),
        .served(["min_version: TLS12", "max_version: TLS13"]), .served(["min_version: TLS13"]),
        .served(["min_version: TLS10", "max_version: TLS11"]), .served(["max_version: TLS12"]),
        .served(["client_auth_type: NoClientCert"]), .served(["client_auth_type: RequestClientCert"]),
        .served(["client_auth_type: RequireAnyClientCert"]), .served(["client_auth_type: RequireClientCert"]),
        .served(["client_auth_type: VerifyClientCertIfGiven", "client_ca_file: ca.crt"]),
        .served(["client_auth_type: RequireAndVerifyClientCert", "client_ca_file: ca.crt"]),
        .served(["client_auth_type: RequestClientCert", "client_ca_file: ca.crt"]),
        .served(["client_auth_type: RequireAnyClientCert", "client_allowed_sans: [a.test]"]),
        .served(["cipher_suites: []", "curve_preferences: []"]), .served(["prefer_server_cipher_suites: false"]),
        .tls(["min_version: TLS13"]),
        .tls(["cert: |", "  -----BEGIN CERTIFICATE-----", "key: |", "  -----BEGIN PRIVATE KEY-----"]),
        Case(
            """
            http_server_config:
              headers:
                Content-Security-Policy: "default-src 'self'"
                X-Frame-Options: deny
                X-Content-Type-Options: nosniff
                X-XSS-Protection: "1; mode=block"
                Strict-Transport-Security: max-age=31536000
            """
        ),
        Case("http_server_config: { headers: { X-Frame-Options: sameorigin } }"),
    ]

    static let broken: [Case] = [
        Case("tls_config: {}", "1: unknown key \"tls_config\""), Case("a list", "1: expected a mapping, found"),
        Case("- a", "1: expected a mapping"), Case("tls_server_config: [", "2: "),
        Case("tls_server_config: 1", "1: tls_server_config: expected a mapping"),
        Case(
            "http_server_config: {}\nhttp_server_config: {}",
            "2: the key \"http_server_config\" is already on line 1"
        ),
        .served(["cert_fil: x"], "4: tls_server_config: unknown key \"cert_fil\", did you mean \"cert_file\"?"),
        .tls([certificate], "2: tls_server_config: expected key_file or key"),
        .tls([key], "2: tls_server_config: expected cert_file or cert"),
        .tls(["cert_file: ''", key], "2: tls_server_config: expected cert_file or cert"),
        .tls(["client_auth_type: RequireAnyClientCert"], "2: tls_server_config: expected cert_file or cert"),
        .tls(["client_ca_file: ca.crt"], "2: tls_server_config: expected cert_file or cert"),
        .served(
            ["client_ca_file: ca.crt"],
            "4: tls_server_config.client_ca_file: expected a client_auth_type beside it"
        ),
        .served(
            ["client_auth_type: NoClientCert", "client_ca: '-----BEGIN CERTIFICATE-----'"],
            "5: tls_server_config.client_ca: expected a client_auth_type"
        ),
        .served(["client_auth_type: VerifyAll"], "4: tls_server_config.client_auth_type: expected NoClientCert, "),
        .served(["client_auth_type: requireanyclientcert"], "4: tls_server_config.client_auth_type: expected "),
        .served(
            ["client_allowed_sans: [a]"],
            "4: tls_server_config.client_allowed_sans: expected client_auth_type Require"
        ),
        .served(
            ["client_auth_type: VerifyClientCertIfGiven", "client_allowed_sans: [a]"],
            "5: tls_server_config.client_allowed_sans: expected client_auth_type Require"
        ),
        .served(
            ["client_auth_type: RequireAnyClientCert", "client_allowed_sans: []"],
            "5: tls_server_config.client_allowed_sans: expected at least one"
        ),
        .tls(
            ["client_allowed_sans: [a]"],
            "2: tls_server_config.client_allowed_sans: expected client_auth_type Require"
        ),
        .served(["min_version: TLS14"], "4: tls_server_config.min_version: expected TLS10, TLS11, TLS12 or TLS13"),
        .served(["min_version: 1.2"], "4: tls_server_config.min_version: expected TLS10"),
        .served(["max_version: SSL30"], "4: tls_server_config.max_version: expected TLS10"),
        .served(
            ["min_version: TLS13", "max_version: TLS12"],
            "4: tls_server_config.min_version: expected at most max_version"
        ),
        .served(["max_version: TLS11"], "2: tls_server_config: min_version: expected at most max_version, TLS11"),
        .served(
            ["cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]"],
            "4: tls_server_config.cipher_suites: not supported: GnuTLS"
        ),
        .served(["cipher_suites: TLS_AES_128"], "4: tls_server_config.cipher_suites: not supported: GnuTLS"),
        .served(["curve_preferences: [CurveP256]"], "4: tls_server_config.curve_preferences: not supported: GnuTLS"),
        .served(
            ["prefer_server_cipher_suites: 1"],
            "4: tls_server_config.prefer_server_cipher_suites: expected true or"
        ),
        .tls(["cert: server.crt", key], "2: tls_server_config.cert: expected a text in PEM format"),
        Case(
            "rate_limit: { interval: 1s, burst: 5 }",
            "1: rate_limit: not supported: this exporter limits connections"
        ),
        Case("http_server_config: { http2: maybe }", "1: http_server_config.http2: expected true or false"),
        Case(
            "http_server_config: { headers: { Server: x } }",
            "1: http_server_config.headers: expected one of Content-Security-Policy, Strict-Transport-Security"
        ),
        Case(
            "http_server_config: { headers: { x-frame-options: deny } }",
            "1: http_server_config.headers: expected one of"
        ),
        Case(
            "http_server_config: { headers: { X-Frame-Options: DENY } }",
            "1: http_server_config.headers: expected deny or sameorigin for X-Frame-Options, found \"DENY\""
        ),
        Case(
            "http_server_config: { headers: { X-Content-Type-Options: sniff } }",
            "1: http_server_config.headers: expected nosniff for X-Content-Type-Options"
        ),
        Case(
            "http_server_config: { headers: { Content-Security-Policy: \"a\\nSet-Cookie: b\" } }",
            "1: http_server_config.headers.Content-Security-Policy: expected a header's value: one line"
        ),
        Case("basic_auth_users: { alice: hunter2 }", "1: basic_auth_users.alice: expected a bcrypt hash such as"),
        Case("basic_auth_users: { alice: 12345 }", "1: basic_auth_users.alice: expected a bcrypt hash"),
        Case(
            "basic_auth_users: { alice: '$2y$15$\(hash.dropFirst(7))' }",
            "1: basic_auth_users.alice: expected a cost of at most 14"
        ),
        Case("basic_auth_users: { 'a:b': '\(hash)' }", "1: basic_auth_users: expected a user's name without a colon"),
        Case("basic_auth_users: [alice]", "1: basic_auth_users: expected a mapping"),
        Case("basic_auth_users: { alice: '\(hash)', alice: '\(hash)' }", "1: the key \"alice\" is already"),
    ]

    private static func parse(_ yaml: String) throws -> WebConfiguration {
        try WebConfiguration.parse(Array(yaml.utf8), file: "web.yml").0
    }

    @Test(arguments: valid) func `accepts what the exporter-toolkit accepts`(file: Case) throws {
        _ = try Self.parse(file.yaml)
    }

    @Test(arguments: broken) func `refuses anything else, with the line, the key and what was expected`(file: Case)
        throws
    {
        let error = try #require(throws: (any Error).self) { try Self.parse(file.yaml) }
        #expect("\(error)".hasPrefix("web.yml:\(file.error ?? "")"), "\(error)")
        #expect(!"\(error)".contains("hunter2") && !"\(error)".contains("12345"), "no message shows a password")
    }

    @Test func `reads every key`() throws {
        let configuration = try Self.parse(
            """
            tls_server_config:
              cert_file: /etc/a.crt
              key_file: a.key
              client_ca_file: "ca ${X}.crt"
              client_auth_type: RequireAndVerifyClientCert
              client_allowed_sans: [a.test, 192.0.2.1]
              min_version: TLS11
              max_version: TLS12
              prefer_server_cipher_suites: false
            http_server_config:
              http2: false
              headers: { X-Frame-Options: deny }
            basic_auth_users:
              alice: \(Self.hash)
            """
        )
        let folder = ConfigurationFolder(of: nil).path
        #expect(configuration.tls.files == ["/etc/a.crt", "\(folder)/a.key", "\(folder)/ca ${X}.crt"])
        #expect(configuration.tls.clientAuth == .requiredAndVerified && !configuration.tls.prefersOwnOrder)
        #expect(configuration.tls.allowedNames == ["a.test", "192.0.2.1"])
        #expect(configuration.tls.minimum == .tls11 && configuration.tls.maximum == .tls12)
        #expect(
            configuration.http.headers == ["X-Frame-Options": "deny"] && configuration.users.keys.sorted() == ["alice"]
        )
        let versionOnly = try Self.parse("tls_server_config: { min_version: TLS13 }")
        #expect(configuration.tls.isEnabled && !versionOnly.tls.isEnabled)
    }
}
