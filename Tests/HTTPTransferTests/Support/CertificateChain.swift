import CCurl
import Foundation
import Lab

@testable import HTTPTransfer

/// Authorities, one that both have signed, and the certificate of a server that this has signed; made by openssl(1).
final class CertificateChain: Sendable {
    /// When each ends, in seconds since 1970: `middle` ends before the server's `leaf`, `renewed` after it.
    let ends: [String: Double] = [
        "root": 2_082_758_400, "second": 2_082_758_400, "other": 2_082_758_400, "middle": 1_988_150_400,
        "renewed": 2_051_222_400, "leaf": 2_019_686_400,
    ]
    private let folder: Folder

    init() throws {
        folder = try Folder()
        for name in ["root", "second", "other"] {
            try request(name, "/CN=\(name)", ["basicConstraints=critical,CA:TRUE"])
            try sign(name, by: nil)
        }
        try request("middle", "/CN=middle", ["basicConstraints=critical,CA:TRUE"])
        try sign("middle", by: "root")
        try folder.copy("middle", to: "renewed")
        try sign("renewed", by: "second")
        try request("leaf", #"/O=A, B\+C/CN=leaf.test"#, ["subjectAltName=DNS:leaf.test,IP:127.0.0.1,DNS:*.leaf.test"])
        try sign("leaf", by: "middle")
    }

    /// The bytes of a certificate, without a program that would block a thread of the tests.
    func der(_ name: String) throws -> [UInt8] {
        let lines = try String(contentsOfFile: folder.file("\(name).crt"), encoding: .utf8).split(separator: "\n")
        let encoded = lines.filter { !$0.hasPrefix("-----") }.joined()
        guard let data = Data(base64Encoded: encoded) else {
            throw CommandFailure(description: "\(name).crt: \(encoded)")
        }
        return Array(data)
    }

    /// What openssl prints after the equals sign, in lower case and without colons.
    func printed(_ name: String, _ options: String) throws -> String {
        let arguments = ["openssl", "x509", "-noout", "-in", folder.file("\(name).crt")]
        let text = String(decoding: try run(arguments + options.split(separator: " ").map(String.init)), as: UTF8.self)
        return text.split(separator: "=").last.map { $0.filter { !":\n".contains($0) }.lowercased() } ?? ""
    }

    /// What the exporter finds for a server that shows some, where others are trusted.
    func lastExpiry(_ shown: [String], _ trusted: [String]) throws -> Date? {
        var list: gnutls_x509_trust_list_t?
        gnutls_x509_trust_list_init(&list, 0)
        defer { gnutls_x509_trust_list_deinit(list, 1) }
        for name in trusted {
            gnutls_x509_trust_list_add_trust_file(list, folder.file("\(name).crt"), nil, GNUTLS_X509_FMT_PEM, 0, 0)
        }
        let bytes = try shown.map { UnsafeMutableBufferPointer.copy(of: try der($0)) }
        defer { for buffer in bytes { buffer.deallocate() } }
        return bytes.map { gnutls_datum_t(data: $0.baseAddress, size: UInt32($0.count)) }.withUnsafeBufferPointer {
            data in
            list.flatMap { TrustedChains(ShownCertificates(data), trusted: $0).lastExpiry }
        }
    }

    private func request(_ name: String, _ subject: String, _ extensions: [String]) throws {
        try run(
            [
                "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                subject,
                "-keyout", folder.file("\(name).key"), "-out", folder.file("\(name).csr"),
            ] + extensions.flatMap { ["-addext", $0] }
        )
    }

    /// By another, or by itself; only ca(1) takes dates.
    private func sign(_ name: String, by issuer: String?) throws {
        let end = Date(timeIntervalSince1970: ends[name] ?? 0).formatted(.iso8601).filter { !"-:T".contains($0) }
        try folder.write("", to: "index.txt")
        try folder.write(
            """
            [ca]
            default_ca = authority
            [authority]
            database = \(folder.file("index.txt"))
            new_certs_dir = \(folder.path)
            rand_serial = yes
            default_md = sha256
            policy = any
            copy_extensions = copy
            [any]
            organizationName = optional
            commonName = supplied
            """,
            to: "ca.conf"
        )
        let authority =
            issuer.map { ["-cert", folder.file("\($0).crt"), "-keyfile", folder.file("\($0).key")] }
            ?? ["-selfsign", "-keyfile", folder.file("\(name).key")]
        try run(
            ["openssl", "ca", "-batch", "-notext", "-config", folder.file("ca.conf")] + authority
                + ["-startdate", "20200101000000Z", "-enddate", end, "-in", folder.file("\(name).csr")]
                + ["-out", folder.file("\(name).crt")]
        )
    }
}

extension Folder {
    fileprivate func copy(_ name: String, to other: String) throws {
        for kind in ["key", "csr"] {
            try FileManager.default.copyItem(atPath: file("\(name).\(kind)"), toPath: file("\(other).\(kind)"))
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    fileprivate static func copy(of bytes: [UInt8]) -> Self {
        let copy = allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return copy
    }
}
