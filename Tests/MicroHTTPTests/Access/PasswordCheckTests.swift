import Testing

@testable import MicroHTTP

struct PasswordCheckTests {
    private let low = BcryptHash(unmatchedWithCost: 4)
    private let high = BcryptHash(unmatchedWithCost: 9)

    @Test
    func `a wrong password takes the same number of rounds whatever the cost of the user, and for an unknown one`() {
        let rounds = [low, high, nil].map { hash in
            PasswordCheck(of: hash, among: [low, high]).costs.reduce(0) { $0 + 1 << $1 }
        }
        #expect(rounds == [512, 512, 512])
    }

    @Test func `the password of a user is accepted, and no password of an unknown one`() throws {
        let hash = try BcryptHash("$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW")
        #expect(PasswordCheck(of: hash, among: [hash, high]).matches(Array("secret".utf8)))
        #expect(!PasswordCheck(of: hash, among: [hash]).matches(Array("Secret".utf8)))
        #expect(!PasswordCheck(of: nil, among: [hash]).matches(Array("secret".utf8)))
    }
}
