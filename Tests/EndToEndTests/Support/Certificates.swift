import Foundation
import Lab

/// An authority, a certificate of it for every name, and one of a stranger; made by openssl(1).
final class Certificates {
    struct Pair {
        let certificate: String
        let key: String
    }

    private let folder: TemporaryFolder
    /// PEM of the authority.
    let authority: String
    let own: Pair
    let foreign: Pair

    init(names: [String] = ["*.gstatic.com", "*.firefox.com", "*.cloudflare.com", "www.test"]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let subjects = names.map { "DNS:\($0)" }.joined(separator: ",") + ",IP:\(FakeInternet.webIPv4)"
        func request(_ name: String, _ more: [String]) throws {
            try run(
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj", "/CN=\(name)",
                ]
                    + ["-keyout", "\(path)/\(name).key", "-out", "\(path)/\(name).pem"] + more
            )
        }
        try request("authority", ["-days", "60"])
        try request(
            "own",
            ["-days", "30", "-CA", "\(path)/authority.pem", "-CAkey", "\(path)/authority.key"]
                + ["-addext", "subjectAltName=\(subjects)", "-addext", "basicConstraints=critical,CA:FALSE"]
        )
        try request("foreign", ["-days", "30", "-addext", "subjectAltName=\(subjects)"])
        self.folder = folder
        authority = try String(contentsOfFile: "\(path)/authority.pem", encoding: .utf8)
        own = Pair(certificate: "\(path)/own.pem", key: "\(path)/own.key")
        foreign = Pair(certificate: "\(path)/foreign.pem", key: "\(path)/foreign.key")
    }

    /// The file of the authority.
    var authorityFile: String { "\(folder.path)/authority.pem" }
}
