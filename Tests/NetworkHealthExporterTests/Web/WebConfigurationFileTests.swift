import Foundation
import Lab
import Logging
import MicroHTTP
import Testing

@testable import NetworkHealthExporter

struct WebConfigurationFileTests {
    private static let hash = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
    private let folder: TemporaryFolder
    private let authority: TestAuthority
    private let server: TestAuthority.Identity
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
        authority = try TestAuthority.shared.get()
        server = try authority.sign()
    }

    @discardableResult
    private func write(_ text: String) throws -> String { try folder.write("web.yml", text) }

    private func file(_ text: String) throws -> WebConfigurationFile {
        try WebConfigurationFile(try write(text), logger: logger)
    }

    private var tls: String {
        "tls_server_config: { cert_file: '\(server.certificate)', key_file: '\(server.key)' }\n"
    }

    @Test func `new users count from the next request on, and a broken file answers no request until it is mended`()
        throws
    {
        let file = try file("basic_auth_users: { alice: '\(Self.hash)' }")
        #expect(file.policy().users.keys.sorted() == ["alice"] && !file.usesTLS && file.context() == nil)
        try write("basic_auth_users: { bob: '\(Self.hash)' }")
        #expect(file.policy().users.keys.sorted() == ["bob"])
        try write("basic_auth_users: { bob: secret }")
        #expect(file.policy() == Server.AccessPolicy(isBroken: true))
        try FileManager.default.removeItem(atPath: folder.path + "/web.yml")
        #expect(file.policy().isBroken)
        try write("http_server_config: { headers: { X-Frame-Options: deny } }")
        #expect(file.policy() == Server.AccessPolicy(headers: ["X-Frame-Options": "deny"]))
        // As kubelet replaces a mounted file.
        try folder.write("new.yml", "basic_auth_users: { eve: '\(Self.hash)' }")
        #expect(rename(folder.path + "/new.yml", folder.path + "/web.yml") == 0)
        #expect(file.policy().users.keys.sorted() == ["eve"])
    }

    @Test func `a new certificate counts from the next handshake on, and an unchanged one is not loaded again`() throws
    {
        let file = try file(tls)
        let first = try #require(file.context())
        #expect(file.usesTLS && file.context() === first)
        try write(tls + "http_server_config: { http2: false }\n")
        #expect(file.context() === first)
        try authority.sign().replace(server)
        let second = try #require(file.context())
        let key = [UInt8](try Data(contentsOf: URL(fileURLWithPath: server.key)))
        #expect(second !== first && second.settings.key == key)
    }

    @Test func `TLS is neither turned off nor on by a running file`() throws {
        let secure = try file(tls)
        try write("basic_auth_users: {}")
        #expect(secure.context() == nil && secure.policy().isBroken)
        let plain = try file("")
        try write(tls)
        #expect(plain.policy().isBroken)
        try write("")
        #expect(!plain.policy().isBroken)
    }

    @Test func `users count, or no request is answered, where the certificates of the file cannot be used`() throws {
        let secure = try file(tls + "basic_auth_users: { alice: '\(Self.hash)' }\n")
        #expect(secure.policy().users.keys.sorted() == ["alice"])
        let broken = """
            tls_server_config: { cert_file: missing.pem, key_file: '\(server.key)' }
            basic_auth_users: { bob: '\(Self.hash)' }

            """
        try write(broken)
        #expect(secure.policy().users.keys.sorted() == ["bob"])
        secure.onCheck { _ in throw UsageError("not allowed") }
        try write(broken + "\n")
        #expect(secure.policy().isBroken)
        let plain = try file("")
        try write(broken)
        #expect(plain.policy().isBroken)
    }

    @Test func `a file without users is refused where the queue needs them`() throws {
        let file = try file("basic_auth_users: { alice: '\(Self.hash)' }")
        file.onCheck { if $0.users.isEmpty { throw UsageError("users are needed") } }
        #expect(!file.policy().isBroken)
        try write("")
        #expect(file.policy().isBroken)
    }

    @Test(arguments: [
        ("cert_file", "cannot read it: "), ("key_file", "cannot read it: "),
        ("client_ca_file", "cannot read it: "),
    ])
    func `a missing file is an error at its key`(key: String, message: String) throws {
        var keys = ["cert_file": server.certificate, "key_file": server.key, "client_ca_file": authority.certificate]
        keys[key] = "missing.pem"
        let lines = keys.map { "  \($0.key): '\($0.value)'\n" }.sorted().joined()
        let text = "tls_server_config:\n" + lines + "  client_auth_type: RequireAndVerifyClientCert\n"
        let error = try #require(throws: (any Error).self) { try file(text) }
        #expect("\(error)".contains("tls_server_config.\(key): \(message)"), "\(error)")
        #expect(
            "\(error)".contains("\(folder.path)/missing.pem"),
            "a relative path starts at the file's folder: \(error)"
        )
    }

    @Test func `what is no certificate, and a key of another one, are errors at their keys`() throws {
        let other = try authority.sign()
        func message(_ certificate: String, _ key: String) throws -> String {
            let text = "tls_server_config: { cert_file: '\(certificate)', key_file: '\(key)' }\n"
            return "\(try #require(throws: (any Error).self) { try file(text) })"
        }
        #expect(
            try message(server.key, server.key).contains("tls_server_config.cert_file: expected a certificate in PEM")
        )
        #expect(
            try message(server.certificate, other.key)
                .contains(
                    "tls_server_config.key_file: expected a private key in PEM format: it is not the key of the certificate"
                )
        )
        #expect(
            try message(server.certificate, server.certificate).contains(
                "tls_server_config.key_file: expected a private"
            )
        )
    }

    @Test func `texts take the place of files`() throws {
        func indented(_ file: String) throws -> String {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            return text.split(separator: "\n").map { "    \($0)\n" }.joined()
        }
        let text =
            "tls_server_config:\n  cert: |\n\(try indented(server.certificate))  key: |\n\(try indented(server.key))"
            + "  client_ca: |\n\(try indented(authority.certificate))  client_auth_type: RequireAndVerifyClientCert\n"
        let context = try #require(try file(text).context())
        #expect(context.settings.clientCertificate == .requiredAndVerified && context.settings.clientAuthorities != nil)
    }
}

/// The decisions, with a clock of the test's.
struct WebConfigurationStateTests {
    private let authority: TestAuthority
    private let folder: TemporaryFolder

    init() throws {
        authority = try TestAuthority.shared.get()
        folder = try TemporaryFolder()
    }

    private func loaded(_ name: String) throws -> LoadedWebConfiguration {
        let identity = try authority.sign()
        let text = "tls_server_config: { cert_file: '\(identity.certificate)', key_file: '\(identity.key)' }\n"
        var files: [String] = []
        return try LoadedWebConfiguration(try folder.write("\(name).yml", text), files: &files)
    }

    @Test func `the last certificates serve for two seconds while their files are replaced`() throws {
        let start = ContinuousClock.now
        let (old, new) = (try loaded("old"), try loaded("new"))
        var state = WebConfigurationState(old)
        #expect(state.take(.failure(.certificates("mismatch")), at: start) == true)
        #expect(state.take(.failure(.certificates("mismatch")), at: start + .seconds(1)) == false)
        #expect(state.context(at: start + .milliseconds(1999)) === old.context)
        #expect(!state.policy.isBroken)
        #expect(state.context(at: start + .seconds(2)) == nil)
        #expect(state.take(.success(new), at: start + .seconds(3)) == true)
        #expect(state.context(at: start + .seconds(3)) === new.context)
        #expect(state.take(.success(new), at: start + .seconds(4)) == false)
    }

    @Test func `a broken file closes at once`() throws {
        let start = ContinuousClock.now
        let old = try loaded("old")
        var state = WebConfigurationState(old)
        #expect(state.take(.failure(.configuration("line 1")), at: start) == true)
        #expect(state.context(at: start) == nil && state.policy.isBroken)
        #expect(state.take(.success(old), at: start) == true)
        #expect(state.context(at: start) === old.context && !state.policy.isBroken)
    }
}
