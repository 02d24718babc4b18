import Foundation
import Lab

/// An authority, a certificate of it for every name, and one of a stranger; made by openssl(1).
final class Certificates {
    struct Pair {
        let certificate: String
        let key: String
    }

    /// Which certificate a server shows.
    enum Kind: String, CaseIterable {
        /// Of the authority, for every name.
        case own
        /// Of no known authority.
        case foreign
        case expired
        case early
        /// Valid, had the clock not been behind by a month: from 29 days after now on.
        case nextMonth
        /// Valid, had the clock not been ahead by a month: until yesterday.
        case lastMonth
        /// Of the authority, for another name.
        case otherName
    }

    private let folder: TemporaryFolder
    /// PEM of the authority.
    let authority: String

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
        let signing = [
            "-days", "30", "-CA", "\(path)/authority.pem", "-CAkey", "\(path)/authority.key",
            "-addext", "basicConstraints=critical,CA:FALSE",
        ]
        try request("own", signing + ["-addext", "subjectAltName=\(subjects)"])
        // Only ca(1) takes dates.
        let configuration = try folder.write("ca.conf", Self.authorityConfiguration(path))
        _ = try folder.write("index.txt", "")
        func day(_ number: Double) -> String {
            Date(timeIntervalSinceNow: number * 86_400).text("%Y%m%d")
        }
        for (name, start, end) in [
            ("expired", "20200101", "20210101"), ("early", "20340101", "20350101"),
            ("nextMonth", day(29), day(60)), ("lastMonth", day(-60), day(-1)),
        ] {
            try run(
                [
                    "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                    "/CN=\(name)", "-addext", "subjectAltName=\(subjects)", "-keyout", "\(path)/\(name).key", "-out",
                    "\(path)/\(name).csr",
                ]
            )
            try run(
                [
                    "openssl", "ca", "-batch", "-notext", "-config", configuration, "-startdate", "\(start)000000Z",
                    "-enddate", "\(end)000000Z", "-in", "\(path)/\(name).csr", "-out", "\(path)/\(name).pem",
                ]
            )
        }
        try request("otherName", signing + ["-addext", "subjectAltName=DNS:other.test"])
        try request("foreign", ["-days", "30", "-addext", "subjectAltName=\(subjects)"])
        self.folder = folder
        authority = try String(contentsOfFile: "\(path)/authority.pem", encoding: .utf8)
    }

    func pair(_ kind: Kind) -> Pair {
        Pair(certificate: "\(folder.path)/\(kind.rawValue).pem", key: "\(folder.path)/\(kind.rawValue).key")
    }

    var own: Pair { pair(.own) }

    private static func authorityConfiguration(_ path: String) -> String {
        """
        [ca]
        default_ca = authority
        [authority]
        database = \(path)/index.txt
        new_certs_dir = \(path)
        certificate = \(path)/authority.pem
        private_key = \(path)/authority.key
        rand_serial = yes
        default_md = sha256
        policy = any
        copy_extensions = copy
        [any]
        commonName = supplied

        """
    }

    /// The file of the authority.
    var authorityFile: String { "\(folder.path)/authority.pem" }
}
