import Foundation

/// A certificate authority for tests in a folder of its own, and what it has signed; made by openssl(1).
package final class TestAuthority: Sendable {
    /// A certificate and its key, in files.
    package struct Identity: Sendable {
        package let certificate: String
        package let key: String

        /// Copies it over another, as a rotation does: each file at once.
        package func replace(_ other: Identity) throws {
            for (new, old) in [(key, other.key), (certificate, other.certificate)] {
                let content = try Data(contentsOf: URL(fileURLWithPath: new))
                try content.write(to: URL(fileURLWithPath: old), options: .atomic)
            }
        }
    }

    /// One for the tests of a process.
    package static let shared = Result { try TestAuthority() }

    package let folder: String
    /// The authority's own certificate.
    package let certificate: String

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("nhe-ca-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        certificate = "\(folder)/ca.crt"
        try openssl("-x509 -days 30 -subj /CN=Test -keyout \(folder)/ca.key -out \(certificate)")
    }

    /// The content of `certificate`.
    package func certificateText() throws -> String { try String(contentsOfFile: certificate, encoding: .utf8) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Signs a certificate for alternative names.
    ///
    /// A name is signed once; without one it is made up.
    package func sign(_ name: String = UUID().uuidString, for names: String = "DNS:localhost,IP:127.0.0.1") throws
        -> Identity
    {
        let identity = Identity(certificate: "\(folder)/\(name).crt", key: "\(folder)/\(name).key")
        try openssl(
            "-x509 -days 30 -CA \(certificate) -CAkey \(folder)/ca.key -subj /CN=\(name) -addext basicConstraints=CA:FALSE "
                + "-addext subjectAltName=\(names) -keyout \(identity.key) -out \(identity.certificate)"
        )
        return identity
    }

    private func openssl(_ arguments: String) throws {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try run(["openssl", "req"] + key + arguments.split(separator: " ").map(String.init))
    }
}
