import Foundation
import Lab

/// A certificate authority for tests and what it has signed, made by openssl(1).
final class Certificates: Sendable {
    static let shared = Result { try Certificates() }

    let folder: Folder
    /// The authority's certificate.
    var authority: String { folder.file("ca.crt") }

    private init() throws {
        folder = try Folder()
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=Test "
                + "-keyout \(folder.file("ca.key")) -out \(folder.file("ca.crt"))"
        )
        try folder.write("", to: "index.txt")
        try folder.write(
            """
            [ca]
            default_ca = authority
            [authority]
            dir = \(folder.path)
            database = $dir/index.txt
            new_certs_dir = $dir
            certificate = $dir/ca.crt
            private_key = $dir/ca.key
            rand_serial = yes
            default_md = sha256
            policy = any
            copy_extensions = copy
            unique_subject = no
            [any]
            commonName = supplied
            """,
            to: "ca.conf"
        )
        try sign("good", names: "DNS:localhost,IP:127.0.0.1", from: "20200101000000Z", to: "20350203040506Z")
        try sign("edwards", "ed25519", names: "IP:127.0.0.1", from: "20200101000000Z", to: "20350203040506Z")
        try sign("other", names: "DNS:other.test", from: "20200101000000Z", to: "20350203040506Z")
        try sign("expired", names: "DNS:localhost,IP:127.0.0.1", from: "20200101000000Z", to: "20210203040506Z")
        try sign("early", names: "DNS:localhost,IP:127.0.0.1", from: "20340101000000Z", to: "20350203040506Z")
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost "
                + "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 "
                + "-keyout \(folder.file("selfsigned.key")) -out \(folder.file("selfsigned.crt"))"
        )
    }

    private static let ellipticKey = "ec -pkeyopt ec_paramgen_curve:prime256v1"

    private func sign(
        _ name: String,
        _ key: String = ellipticKey,
        names: String,
        from: String,
        to: String
    ) throws {
        try openssl(
            "req -newkey \(key) -nodes -subj /CN=\(name) "
                + "-addext subjectAltName=\(names) -keyout \(folder.file("\(name).key")) -out \(folder.file("\(name).csr"))"
        )
        try openssl(
            "ca -batch -notext -config \(folder.file("ca.conf")) -startdate \(from) -enddate \(to) "
                + "-in \(folder.file("\(name).csr")) -out \(folder.file("\(name).crt"))"
        )
    }

    private func openssl(_ arguments: String) throws {
        try run(["openssl"] + arguments.split(separator: " ").map(String.init))
    }
}
