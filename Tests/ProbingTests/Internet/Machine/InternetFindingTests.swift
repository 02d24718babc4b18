import FoundationEssentials
import HTTPTransfer
import Testing

@testable import Probing

/// The verdict table, row by row.
struct InternetFindingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let evidence: FamilyEvidence
        let finding: InternetFinding

        init(
            _ name: String,
            _ finding: InternetFinding,
            checks: [ProbeOutcome] = [],
            https: [ProbeOutcome] = [],
            smallHTTPS: [ProbeOutcome] = [],
            literals: [ProbeOutcome] = [],
            gateways: [ProbeOutcome] = []
        ) {
            testDescription = name
            self.finding = finding
            evidence = FamilyEvidence(
                checks: checks,
                https: https,
                smallHTTPS: smallHTTPS,
                literals: literals,
                gateways: gateways
            )
        }
    }

    static let timeout = ProbeOutcome.failed(.timeout, phase: .connect)
    static let silent = ProbeOutcome.failed(.timeout, phase: .tls)
    static let refused = ProbeOutcome.failed(.refused, phase: .connect)
    static let nowhere = ProbeOutcome.failed(.unreachable, phase: .connect)
    static let unresolved = ProbeOutcome.failed(.resolve, phase: .resolve)
    static let silentResolver = ProbeOutcome.failed(.timeout, phase: .resolve)
    static let wrongCertificate = ProbeOutcome.untrusted(.other)
    static let expired = ProbeOutcome.untrusted(.expired(at: nil))
    static let tlsUntrusted = InternetFinding(state: .tlsUntrusted)
    static let upstream = InternetFinding(state: .noInternet, cause: .upstream)
    static let gateway = InternetFinding(state: .noInternet, cause: .gateway)
    static let dns = InternetFinding(state: .dnsBroken, cause: .dns)

    static let rows = [
        Row("the first check", .online, checks: [.success]),
        Row("the second check", .online, checks: [timeout, .success], https: [timeout]),
        Row("HTTPS alone", .online, checks: [timeout, timeout], https: [.success]),
        Row(
            "a certificate wrong on one host of two",
            .untrustedHost,
            checks: [.success],
            https: [wrongCertificate, .success]
        ),
        Row("the same, HTTP blocked", .untrustedHost, checks: [timeout], https: [wrongCertificate, .success]),
        Row(
            "a wrong certificate, the other host silent",
            .untrustedHost,
            checks: [.success],
            https: [wrongCertificate, timeout]
        ),
        Row("a wrong certificate of the only host", .untrustedHost, checks: [.success], https: [wrongCertificate]),
        Row("wrong certificates of both hosts", tlsUntrusted, checks: [.success], https: [wrongCertificate, expired]),
        Row(
            "a handshake that fails beside a good check",
            .online,
            checks: [.success],
            https: [.failed(.tls, phase: .tls)]
        ),
        Row("HTTPS that times out beside a good check", .online, checks: [.success], https: [timeout]),
        Row(
            "HTTPS that is silent but for small segments",
            .smallPackets,
            checks: [.success],
            https: [silent],
            smallHTTPS: [.success]
        ),
        Row("HTTPS that is silent in any segments", .online, checks: [.success], https: [silent], smallHTTPS: [silent]),
        Row("no connection for HTTPS at first", .online, checks: [.success], https: [timeout], smallHTTPS: [.success]),
        Row("names that lead nowhere", dns, checks: [timeout, refused], https: [nowhere], literals: [.success]),
        Row("a portal", .captivePortal, checks: [.portal, .portal], https: [timeout]),
        Row("a portal without HTTPS to compare", .captivePortal, checks: [.portal]),
        Row("a portal that lets one check pass", .captivePortal, checks: [.portal, .success], https: [timeout]),
        Row("one check that moved, by checks alone", .online, checks: [.portal, .success]),
        Row("one check that moved, by HTTPS", .online, checks: [.portal], https: [.success]),
        Row("a portal with wrong certificates", .captivePortal, checks: [.portal], https: [wrongCertificate, expired]),
        Row(
            "a portal that lets one check pass, with wrong certificates",
            .captivePortal,
            checks: [.success, .portal],
            https: [wrongCertificate, wrongCertificate]
        ),
        Row("no check, wrong certificates", upstream, checks: [timeout], https: [wrongCertificate, expired]),
        Row("no names, living addresses", dns, checks: [unresolved], https: [unresolved], literals: [.success]),
        Row("a silent resolver", dns, checks: [silentResolver], literals: [timeout, .success]),
        Row("no names, dead addresses", upstream, checks: [unresolved], literals: [timeout], gateways: [.success]),
        Row("one name resolved", upstream, checks: [unresolved, timeout], literals: [.success], gateways: [.success]),
        Row("error pages only", upstream, checks: [.failed(.status), .failed(.body)], https: [timeout]),
        Row("error pages and a silent router", upstream, checks: [.failed(.status)], gateways: [.failed(.timeout)]),
        Row("no check, a wrong certificate", upstream, checks: [timeout], https: [wrongCertificate]),
        Row("silence behind a router", upstream, checks: [timeout, refused], https: [timeout], gateways: [.success]),
        Row("one router of two", upstream, checks: [timeout], gateways: [.failed(.timeout), .success]),
        Row("a dead router", gateway, checks: [timeout], https: [nowhere], gateways: [.failed(.timeout)]),
        Row("a router that cannot be reached", gateway, checks: [nowhere], gateways: [.failed(.unreachable)]),
        Row("a router that could not be pinged", upstream, checks: [timeout], gateways: [.failed(.local)]),
        Row("one silent router of two", upstream, checks: [timeout], gateways: [.failed(.timeout), .failed(.local)]),
        Row("silence without a router", upstream, checks: [timeout, nowhere]),
        Row("no way for the kernel", InternetFinding(state: .noPath), checks: [nowhere], https: [nowhere]),
        Row(
            "no way, not even to a literal",
            InternetFinding(state: .noPath),
            checks: [unresolved],
            literals: [nowhere]
        ),
    ]

    @Test(arguments: rows)
    func `The evidence decides the state and its cause`(row: Row) {
        #expect(InternetFinding(row.evidence) == row.finding)
    }

    @Test func `While the clock is days off, a wrong certificate is not an interception`() {
        var evidence = FamilyEvidence(checks: [.success], https: [Self.wrongCertificate, Self.wrongCertificate])
        for days in [-20_000.0, -1.1, 1.1] {
            evidence.clockSkew = .seconds(days * 86_400)
            #expect(InternetFinding(evidence, untrustedTLS: .deny) == .online)
        }
        evidence.clockSkew = .seconds(0.9 * 86_400)
        #expect(InternetFinding(evidence) == Self.tlsUntrusted)
    }

    @Test func `Certificates that are not trusted are an outage only where they are denied`() {
        let evidence = FamilyEvidence(checks: [.success], https: [Self.wrongCertificate, Self.expired])
        let denied = InternetFinding(evidence, untrustedTLS: .deny)
        #expect(denied == InternetFinding(state: .tlsUntrusted, cause: .tlsUntrusted))
        #expect(!denied.isOnline && InternetFinding(evidence).isOnline)
        let one = FamilyEvidence(checks: [.success], https: [Self.wrongCertificate])
        #expect(InternetFinding(one, untrustedTLS: .deny) == .untrustedHost, "one host alone never is")
    }

    @Test func `The clock explains a certificate only in its own direction, and as far as it is off`() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        func fault(_ distrust: Distrust, _ skew: Double?) -> Duration? {
            var evidence = FamilyEvidence(checks: [.success], https: [.untrusted(distrust)])
            evidence.clockSkew = skew.map { .seconds($0) }
            return evidence.clockFault(now: now)
        }
        let anHourAgo = Distrust.expired(at: now - 3600)
        #expect(fault(.notYetValid, -7200) == .seconds(-7200))
        #expect(fault(anHourAgo, 7200) == .seconds(7200))
        #expect(fault(.expired(at: nil), 7200) == .seconds(7200))
        let unexplained: [(Distrust, Double?)] = [
            (.notYetValid, 7200), (.notYetValid, 0), (.notYetValid, nil), (anHourAgo, -7200), (anHourAgo, 60),
            (.other, 7200), (.other, -7200),
        ]
        for (distrust, skew) in unexplained { #expect(fault(distrust, skew) == nil, "\(distrust) \(skew ?? 0)") }
    }

    @Test func `Names that lead nowhere over one family, and to servers over the other, are no fault of DNS`() {
        let evidence = FamilyEvidence(checks: [Self.timeout], https: [Self.timeout], literals: [.success])
        #expect(InternetFinding(evidence, otherFamilyResolves: true) == Self.dns, "both may lead nowhere")
        #expect(InternetFinding(evidence, otherFamilyResolves: true, otherFamilyAnswers: true) == Self.upstream)
    }

    @Test func `Names without an address of this family are not a broken resolver`() {
        let evidence = FamilyEvidence(checks: [Self.unresolved], literals: [.success])
        #expect(InternetFinding(evidence, otherFamilyResolves: true).state == .unknown)
        #expect(InternetFinding(evidence, otherFamilyResolves: false).state == .dnsBroken)
    }

    @Test func `The family with the better state decides for both`() {
        let nearer: [InternetFinding] = [
            InternetFinding(state: .unknown), InternetFinding(state: .noPath), Self.gateway, Self.upstream, Self.dns,
            .captivePortal, Self.tlsUntrusted, .untrustedHost, .online,
        ]
        #expect(nearer.map(\.reach) == Array(0...8))
    }
}
