import Testing

@testable import MicroHTTP

struct BcryptHashTests {
    /// Made by crypt(3) elsewhere.
    private static let known = [
        ("secret", "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW", 4),
        ("secret", "$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a", 5),
        ("geheim", "$2y$04$QOauhQNbBCuQDKes6eFzPei6AlSsK6Ik6EmKkDXT11xotnWQgj4jS", 4),
        ("ünïcode: x", "$2a$04$QOauhQNbBCuQDKes6eFzPeUdF4lpXe9tH/rWSv3MyEBlf.q0W92rW", 4),
    ]

    @Test(arguments: known) func `knows its password and no other`(password: String, text: String, cost: Int) throws {
        let hash = try BcryptHash(text)
        #expect(hash.cost == cost)
        #expect(hash.matches(Array(password.utf8)))
        for other in ["", password + "x", String(password.dropLast()), password.uppercased()] {
            #expect(!hash.matches(Array(other.utf8)))
        }
        #expect(!hash.matches(Array(password.utf8) + [0]) && !hash.matches(Array(password.utf8) + [0, 0x61]))
    }

    @Test(arguments: [
        "", "secret", "$2b$10$", "$2x$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW",
        "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIr",
        "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrWW",
        "$2b$4$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrWW",
        "$2b$-4$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW",
        "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WI=W",
        "$1$abcdefgh$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFF0",
    ])
    func `refuses what is no bcrypt hash`(text: String) {
        #expect(throws: BcryptError(description: "expected \(BcryptHash.expectation)")) { try BcryptHash(text) }
    }

    @Test(arguments: [("03", false), ("04", true), ("14", true), ("15", false), ("31", false)])
    func `refuses a cost that is too high or too low`(cost: String, isAccepted: Bool) {
        let text = "$2b$\(cost)$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
        #expect(((try? BcryptHash(text)) != nil) == isAccepted)
    }

    @Test func `a made-up hash has no password, and takes as long as one`() {
        let hash = BcryptHash(unmatchedWithCost: 4)
        #expect(hash.bytes.count == 60)
        for password in ["", "secret", "."] { #expect(!hash.matches(Array(password.utf8))) }
        // The C library accepts it as a setting: it is hashed, not refused at once.
        let clock = ContinuousClock()
        let slow = BcryptHash(unmatchedWithCost: 9)
        #expect(clock.measure { _ = slow.matches([]) } > clock.measure { _ = hash.matches([]) })
    }
}

struct BasicCredentialsTests {
    @Test(arguments: [
        ("Basic dXNlcjpwYXNz", "user", "pass"), ("basic dXNlcjpwYXNz", "user", "pass"),
        ("BASIC   dXNlcjpwYXNz", "user", "pass"), ("Basic dTo=", "u", ""), ("Basic OnA=", "", "p"),
        ("Basic dTphOmI=", "u", "a:b"),
    ])
    func `reads a name and a password`(header: String, user: String, password: String) throws {
        let credentials = try #require(BasicCredentials(header))
        #expect(credentials.user == user && credentials.password == Array(password.utf8))
    }

    @Test(arguments: [
        nil, "", "Basic", "Basic ", "Bearer dXNlcjpwYXNz", "Basic dXNlcg==", "Basic %%%", "Basic dXNlcjpwYXNz!",
        "Basic /w==",
        "Basic //86", "dXNlcjpwYXNz",
    ])
    func `takes nothing else`(header: String?) {
        #expect(BasicCredentials(header) == nil)
    }
}

struct VerdictCacheTests {
    private let maker = PasswordDigest.Maker()

    private func digest(_ user: String, _ password: String) throws -> PasswordDigest {
        let hash = try BcryptHash("$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW")
        return try #require(maker.digest(user, hash, Array(password.utf8)))
    }

    @Test func `a thousand guesses displace no accepted password`() throws {
        var cache = VerdictCache()
        let right = try digest("a", "right")
        cache.keep(true, of: "a", right)
        for number in 0..<1000 { cache.keep(false, of: "a", try digest("a", "\(number)")) }
        #expect(cache.verdict(of: "a", right) == true)
        #expect(cache.verdict(of: "a", try digest("a", "999")) == false)
        #expect(cache.verdict(of: "a", try digest("a", "0")) == nil)
        #expect(cache.verdict(of: "a", try digest("a", "900")) == false)
    }

    @Test func `an accepted password is that of its user only, and a new one replaces it`() throws {
        var cache = VerdictCache()
        cache.keep(true, of: "a", try digest("a", "x"))
        #expect(cache.verdict(of: "b", try digest("b", "x")) == nil)
        cache.keep(true, of: "a", try digest("a", "y"))
        #expect(cache.verdict(of: "a", try digest("a", "x")) == nil)
        #expect(cache.verdict(of: "a", try digest("a", "y")) == true)
    }

    @Test func `a name cannot be confused with the beginning of a password`() throws {
        #expect(try digest("ab", "c") != digest("a", "bc"))
        #expect(try digest("a", "b") == digest("a", "b"))
    }
}
