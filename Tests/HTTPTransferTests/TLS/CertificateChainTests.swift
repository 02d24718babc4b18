import CCurl
import FoundationEssentials
import Lab
import Testing

@testable import HTTPTransfer

/// Chains of certificates that openssl(1) has made, and what it prints of them.
struct CertificateChainTests {
    private static let chain = Result { try CertificateChain() }
    private let chain: CertificateChain

    init() throws { chain = try Self.chain.get() }

    @Test func `The facts are those that openssl prints`() throws {
        let facts = try #require(CertificateFacts(der: try chain.der("leaf")))
        #expect(facts.fingerprint == (try chain.printed("leaf", "-fingerprint -sha256")))
        #expect(facts.serial == (try chain.printed("leaf", "-serial")))
        #expect(facts.subject == #"CN=leaf.test,O=A\, B\+C"#)
        #expect(facts.issuer == "CN=middle")
        #expect(facts.names == ["leaf.test", "*.leaf.test"], "addresses are no names")
    }

    @Test func `Bytes that are no certificate have no facts`() throws {
        let bytes = try chain.der("leaf")
        for count in [0, 1, 4, bytes.count / 2, bytes.count - 1] {
            #expect(CertificateFacts(der: Array(bytes.prefix(count))) == nil)
        }
        #expect(CertificateFacts(der: [UInt8](repeating: 0x30, count: 5000)) == nil)
    }

    /// The names of certificates that are shown, those that are trusted, and the one that expires first.
    @Test(arguments: [
        (["leaf", "middle"], ["root"], "middle"),
        (["leaf", "middle", "root"], ["root"], "middle"),
        (["leaf", "other", "root", "middle"], ["root"], "middle"),
        // Of two chains the one that expires later.
        (["leaf", "middle", "renewed"], ["root", "second"], "leaf"),
        (["leaf", "renewed", "middle"], ["root"], "middle"),
        (["leaf", "renewed", "middle"], ["second"], "leaf"),
        (["leaf", "middle"], ["middle"], "middle"),
        (["leaf"], ["leaf"], "leaf"),
        (["root"], ["root"], "root"),
        (["leaf"], ["root"], nil), (["leaf", "other"], ["root"], nil), (["other"], ["root"], nil),
        (["leaf", "middle"], [], nil), ([], ["root"], nil),
    ])
    func `A chain expires with the first of its certificates`(shown: [String], trusted: [String], first: String?) throws
    {
        let expected = try first.map { try #require(chain.ends[$0]) }
        #expect(try chain.lastExpiry(shown, trusted) == expected.map { Date(timeIntervalSince1970: $0) })
    }

    @Test func `Certificates that have issued each other are no endless chain`() throws {
        let shown = Array(repeating: ["leaf", "middle", "root", "second", "renewed"], count: 40).flatMap(\.self)
        #expect(try chain.lastExpiry(shown, ["other"]) == nil)
        #expect(try chain.lastExpiry(shown, ["root"]) != nil)
    }
}
