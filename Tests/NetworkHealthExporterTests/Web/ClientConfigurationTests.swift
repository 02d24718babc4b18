import ArgumentParser
import HTTPTransfer
import Lab
import Probing
import Testing

@testable import NetworkHealthExporter

/// `--http.config.file` and `--tls.ca-file`.
struct ClientConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(_ text: String, _ arguments: [String] = []) throws -> ClientConfiguration {
        let file = try folder.write("client.yml", text)
        let options = try ClientOptions.parse(["--http.config.file", file] + arguments)
        return try ClientConfiguration(options, Environment(variables: [:]))
    }

    @Test func `reads what promtool reads`() throws {
        try folder.write("ca.crt", TestAuthority.shared.get().certificateText())
        try folder.write("password", "secret\n")
        let configuration = try configuration(
            """
            basic_auth: { username: alice, password_file: password }
            tls_config: { ca_file: ca.crt, server_name: exporter.test }
            follow_redirects: true
            enable_http2: false
            """
        )
        #expect(configuration.request.authorization == "Basic YWxpY2U6c2VjcmV0")
        #expect(configuration.request.tls.caFile == "\(folder.path)/ca.crt")
        #expect(configuration.request.tls.serverName == "exporter.test")
    }

    @Test func `the flag for authorities goes before the file, and both have a twin`() throws {
        let certificate = try TestAuthority.shared.get().certificateText()
        let (one, two) = (try folder.write("one.crt", certificate), try folder.write("two.crt", certificate))
        let both = try configuration("tls_config: { ca_file: one.crt }", ["--tls.ca-file", two])
        #expect(both.request.tls.caFile == two)
        let file = try folder.write("client.yml", "authorization: { credentials: token }")
        let variables = ["NHE_TLS_CA_FILE": one, "NHE_HTTP_CONFIG_FILE": file]
        let twins = try ClientConfiguration(try ClientOptions.parse([]), Environment(variables: variables))
        #expect(twins.request.tls.caFile == one && twins.request.authorization == "Bearer token")
        #expect(Environment(variables: variables).warnings.isEmpty)
    }

    @Test(arguments: [
        ("basic_auth: { username: a }\nauthorization: { credentials: b }", "basic_auth"),
        ("oauth2: {}", "unknown key \"oauth2\""),
        ("tls_config: { ca_file: missing }", "tls_config.ca_file: cannot read it"),
        ("tls_config: { ca_file: client.yml }", "tls_config.ca_file: expected a file with a certificate in PEM format"),
    ])
    func `refuses another file with its flag and its line`(text: String, message: String) throws {
        let error = try #require(throws: UsageError.self) { try configuration(text) }
        #expect(error.description.hasPrefix("--http.config.file: \(folder.path)/client.yml:"), "\(error)")
        #expect(error.description.contains(message))
    }

    @Test func `a missing file is named by its flag`() throws {
        for flag in ["--http.config.file", "--tls.ca-file"] {
            let options = try ClientOptions.parse([flag, "/missing"])
            let error = try #require(throws: UsageError.self) {
                try ClientConfiguration(options, Environment(variables: [:]))
            }
            #expect(error.description.hasPrefix("\(flag): ") && error.description.contains("/missing"))
        }
    }

    @Test func `a file without a certificate is named by its flag`() throws {
        let file = try folder.write("ca.crt", "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n")
        let error = try #require(throws: UsageError.self) { try configuration("{}", ["--tls.ca-file", file]) }
        let message = "--tls.ca-file: expected a file with a certificate in PEM format, found "
        #expect(error.description == "\(message)\"\(file)\"")
    }
}
