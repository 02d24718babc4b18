import Coordination
package import Foundation

/// A certificate authority for tests, and what it has signed, in a folder of its own; by openssl(1).
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
    /// From yesterday on for a month.
    package static var thisMonth: Range<Date> {
        let now = Date()
        return now.addingTimeInterval(-86_400)..<now.addingTimeInterval(30 * 86_400)
    }

    package let folder: TemporaryFolder
    /// Its own certificate, of itself or of the authority that it was made by.
    package let identity: Identity
    package var certificate: String { identity.certificate }
    /// Held while it signs: ca(1) writes to one list.
    private let signing = Locked(())

    /// One that signs its own certificate.
    package convenience init(_ name: String = "Test", valid: Range<Date> = thisMonth) throws {
        let folder = try TemporaryFolder()
        try self.init(folder: folder, identity: folder.makeCertificate(name, Self.rights, valid: valid))
    }

    private init(folder: TemporaryFolder, identity: Identity) { (self.folder, self.identity) = (folder, identity) }

    /// Signs an authority below it, with the key of another one where that is given.
    package func authority(_ name: String, keyOf other: TestAuthority? = nil, valid: Range<Date>) throws
        -> TestAuthority
    {
        let folder = try TemporaryFolder()
        let identity = try folder.makeCertificate(
            name,
            Self.rights,
            key: other.map { .existing($0.identity.key) } ?? .elliptic,
            by: self.identity,
            valid: valid
        )
        return TestAuthority(folder: folder, identity: identity)
    }

    /// Signs a certificate for alternative names.
    ///
    /// A name is signed once; without one it is made up.
    package func sign(
        _ name: String = UUID().uuidString,
        for names: String = "DNS:localhost,IP:127.0.0.1",
        subject: String? = nil,
        extensions more: [String] = [],
        key: TestKey = .elliptic,
        valid: Range<Date> = thisMonth
    ) throws -> Identity {
        let extensions = ["basicConstraints=critical,CA:FALSE", "subjectAltName=\(names)"] + more
        return try signing.withLock { _ in
            try folder.makeCertificate(name, subject: subject, extensions, key: key, by: identity, valid: valid)
        }
    }

    /// A certificate that no authority has signed.
    package func selfSigned(for names: String = "DNS:localhost,IP:127.0.0.1") throws -> Identity {
        try folder.makeCertificate("self", ["subjectAltName=\(names)"], valid: Self.thisMonth)
    }

    /// The content of `certificate`.
    package func certificateText() throws -> String { try String(contentsOfFile: certificate, encoding: .utf8) }

    private static let rights = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
}

/// The key of a certificate.
package enum TestKey: Sendable {
    case elliptic, edwards
    case existing(String)

    fileprivate var arguments: [String] {
        switch self {
        case .elliptic: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        case .edwards: ["-newkey", "ed25519"]
        case .existing(let file): ["-new", "-key", file]
        }
    }
}

extension TemporaryFolder {
    /// Makes a certificate in this folder, signed by another one or by itself.
    ///
    /// By ca(1), since `openssl x509` takes dates only from OpenSSL 3.4 on.
    fileprivate func makeCertificate(
        _ name: String,
        subject: String? = nil,
        _ extensions: [String],
        key: TestKey = .elliptic,
        by issuer: TestAuthority.Identity? = nil,
        valid: Range<Date>
    ) throws -> TestAuthority.Identity {
        let keyFile = if case .existing(let file) = key { file } else { file("\(name).key") }
        let identity = TestAuthority.Identity(certificate: file("\(name).crt"), key: keyFile)
        var request = ["openssl", "req", "-nodes", "-subj", subject ?? "/CN=\(name)", "-out", file("\(name).csr")]
        request += key.arguments + extensions.flatMap { ["-addext", $0] }
        if keyFile == file("\(name).key") { request += ["-keyout", keyFile] }
        try run(request)
        try write("index.txt", "")
        try write(
            "ca.conf",
            """
            [ca]
            default_ca = authority
            [authority]
            database = \(file("index.txt"))
            new_certs_dir = \(path)
            rand_serial = yes
            default_md = sha256
            policy = any
            copy_extensions = copy
            x509_extensions = identifiers
            [any]
            organizationName = optional
            commonName = supplied
            [identifiers]
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid

            """
        )
        let signer =
            issuer.map { ["-cert", $0.certificate, "-keyfile", $0.key] } ?? ["-selfsign", "-keyfile", identity.key]
        try run(
            ["openssl", "ca", "-batch", "-notext", "-config", file("ca.conf")] + signer
                + ["-startdate", valid.lowerBound.inCertificates, "-enddate", valid.upperBound.inCertificates]
                + ["-in", file("\(name).csr"), "-out", identity.certificate]
        )
        return identity
    }
}

extension Date {
    /// As `20261125093000Z`.
    fileprivate var inCertificates: String { formatted(.iso8601).filter { !"-:T".contains($0) } }
}
