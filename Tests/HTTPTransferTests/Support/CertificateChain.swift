import CCurl
import Foundation
import Lab
import Testing

@testable import HTTPTransfer

/// Authorities, one that two of them have signed, and the certificate of a server that this has signed.
final class CertificateChain: Sendable {
    /// When each ends, in seconds since 1970: `middle` ends before the server's `leaf`, `renewed` after it.
    let ends: [String: Double] = [
        "root": 2_082_758_400, "second": 2_082_758_400, "other": 2_082_758_400, "middle": 1_988_150_400,
        "renewed": 2_051_222_400, "leaf": 2_019_686_400,
    ]
    private let authorities: [TestAuthority]
    private let files: [String: String]

    init() throws {
        let ends = ends
        func valid(_ name: String) -> Range<Date> {
            Range<Date>.years(2020, 2021).lowerBound..<Date(timeIntervalSince1970: ends[name] ?? 0)
        }
        func authority(_ name: String) throws -> TestAuthority { try TestAuthority(name, valid: valid(name)) }
        let (root, second, other) = (try authority("root"), try authority("second"), try authority("other"))
        let middle = try root.authority("middle", valid: valid("middle"))
        let renewed = try second.authority("middle", keyOf: middle, valid: valid("renewed"))
        let leaf = try middle.sign(
            "leaf",
            for: "DNS:leaf.test,IP:127.0.0.1,DNS:*.leaf.test",
            subject: #"/O=A, B\+C/CN=leaf.test"#,
            valid: valid("leaf")
        )
        authorities = [root, second, other, middle, renewed]
        files = [
            "root": root.certificate, "second": second.certificate, "other": other.certificate,
            "middle": middle.certificate, "renewed": renewed.certificate, "leaf": leaf.certificate,
        ]
    }

    private func file(_ name: String) throws -> String { try #require(files[name]) }

    /// The bytes of a certificate, without a program that would block a thread of the tests.
    func der(_ name: String) throws -> [UInt8] {
        let lines = try String(contentsOfFile: try file(name), encoding: .utf8).split(separator: "\n")
        let encoded = lines.filter { !$0.hasPrefix("-----") }.joined()
        return Array(try #require(Data(base64Encoded: encoded), "\(name): \(encoded)"))
    }

    /// What openssl prints after the equals sign, in lower case and without colons.
    func printed(_ name: String, _ options: String) throws -> String {
        let arguments = ["openssl", "x509", "-noout", "-in", try file(name)]
        let text = try run(arguments + options.split(separator: " ").map(String.init))
        return text.split(separator: "=").last.map { $0.filter { !":\n".contains($0) }.lowercased() } ?? ""
    }

    /// What the exporter finds for a server that shows some, where others are trusted.
    func lastExpiry(_ shown: [String], _ trusted: [String]) throws -> Date? {
        var list: gnutls_x509_trust_list_t?
        gnutls_x509_trust_list_init(&list, 0)
        defer { gnutls_x509_trust_list_deinit(list, 1) }
        for name in trusted {
            gnutls_x509_trust_list_add_trust_file(list, try file(name), nil, GNUTLS_X509_FMT_PEM, 0, 0)
        }
        let bytes = try shown.map { UnsafeMutableBufferPointer.copy(of: try der($0)) }
        defer { for buffer in bytes { buffer.deallocate() } }
        return bytes.map { gnutls_datum_t(data: $0.baseAddress, size: UInt32($0.count)) }.withUnsafeBufferPointer {
            data in
            list.flatMap { TrustedChains(ShownCertificates(data), trusted: $0).lastExpiry }
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
