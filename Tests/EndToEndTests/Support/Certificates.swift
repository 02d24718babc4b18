import Foundation

/// An authority, a certificate of it for every name, and one of a stranger.
final class Certificates {
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

    private let identities: [Kind: TestAuthority.Identity]
    private let signer: TestAuthority
    let own: TestAuthority.Identity
    /// PEM of the authority.
    let authority: String

    init(names: [String] = ["*.gstatic.com", "*.firefox.com", "*.cloudflare.com", "www.test"]) throws {
        let subjects = names.map { "DNS:\($0)" }.joined(separator: ",") + ",IP:\(FakeInternet.webIPv4)"
        func days(_ first: Double, _ last: Double) -> Range<Date> {
            Date(timeIntervalSinceNow: first * 86_400)..<Date(timeIntervalSinceNow: last * 86_400)
        }
        let signer = try TestAuthority("authority", valid: days(-61, 61))
        func sign(_ kind: Kind, _ valid: Range<Date>) throws -> TestAuthority.Identity {
            try signer.sign(kind.rawValue, for: subjects, valid: valid)
        }
        own = try sign(.own, days(-1, 30))
        identities = try [
            .own: own, .foreign: signer.selfSigned(for: subjects), .expired: sign(.expired, days(-2000, -1500)),
            .early: sign(.early, days(2000, 2500)), .nextMonth: sign(.nextMonth, days(29, 60)),
            .lastMonth: sign(.lastMonth, days(-60, -1)), .otherName: signer.sign("otherName", for: "DNS:other.test"),
        ]
        self.signer = signer
        authority = try signer.certificateText()
    }

    func pair(_ kind: Kind) -> TestAuthority.Identity { identities[kind] ?? own }
}
