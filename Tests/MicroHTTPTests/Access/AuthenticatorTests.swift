import Coordination
import Foundation
import Posix
import Testing

@testable import MicroHTTP

struct AuthenticatorTests {
    private let hash = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"

    private func header(_ password: String, user: String = "user") -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    private func login(
        isWanted: Bool = true,
        then: @escaping @Sendable (Bool) -> Void
    ) -> Authenticator.Login {
        Authenticator.Login(isWanted: { isWanted }, then: then)
    }

    @Test func `100 passwords of 50 clients all get a verdict, and equal ones are one`() async throws {
        let authenticator = try Authenticator()
        let users = ["user": try BcryptHash(hash)]
        let verdicts = Locked<[Bool]>([])
        let all = Gate<Void>()
        let login = login { verdict in
            let count = verdicts.withLock { verdicts in
                verdicts.append(verdict)
                return verdicts.count
            }
            if count == 110 { all.open() }
        }
        for number in 0..<100 {
            let password = number == 99 ? "secret" : "\(number)"
            #expect(authenticator.judge(header(password), of: "192.0.2.\(number % 50)", users, login) == .pending)
        }
        for _ in 0..<10 { #expect(authenticator.judge(header("secret"), of: "192.0.2.1", users, login) == .pending) }
        #expect(authenticator.judge(nil, of: "192.0.2.1", users, login) == .refused)
        let thread = try LoopThread(name: "hashes") { authenticator.run() }
        await all.wait()
        #expect(verdicts.withLock { $0.count(where: \.self) } == 11)
        #expect(authenticator.judge(header("secret"), of: "192.0.2.1", users, login) == .allowed)
        #expect(authenticator.judge(header("98"), of: "192.0.2.1", users, login) == .refused)
        #expect(authenticator.judge(header("100"), of: "192.0.2.1", users, login) == .pending)
        authenticator.stop()
        await thread.join()
    }

    @Test func `a password whose client has gone is not hashed, and leaves its place`() async throws {
        let authenticator = try Authenticator()
        let users = ["user": try BcryptHash(hash)]
        let gone = login(isWanted: false) { _ in Issue.record("a verdict for a client that has gone") }
        for number in 0..<3000 {
            #expect(authenticator.judge(header("\(number)"), of: "192.0.2.1", users, gone) == .pending)
        }
        let verdict = Gate<Bool>()
        #expect(
            authenticator.judge(header("secret"), of: "192.0.2.1", users, login { verdict.open(with: $0) }) == .pending
        )
        let thread = try LoopThread(name: "hashes") { authenticator.run() }
        #expect(await verdict.wait())
        authenticator.stop()
        await thread.join()
    }

    @Test func `a user that does not exist is refused after a hash, as is one whose password is empty`() async throws {
        let authenticator = try Authenticator()
        let users = ["user": try BcryptHash(hash)]
        let gates = ["unknown", ""].map { name in
            let gate = Gate<Bool>()
            let login = login { gate.open(with: $0) }
            let outcome = authenticator.judge(header("secret", user: name), of: "192.0.2.1", users, login)
            #expect(outcome == .pending)
            return gate
        }
        let thread = try LoopThread(name: "hashes") { authenticator.run() }
        for gate in gates { #expect(await gate.wait() == false) }
        authenticator.stop()
        await thread.join()
    }

    @Test func `a stop leaves what waits without a verdict`() async throws {
        let authenticator = try Authenticator()
        let called = Locked(false)
        let users = ["user": try BcryptHash(hash)]
        let login = login { _ in called.withLock { $0 = true } }
        #expect(authenticator.judge(header("x"), of: "192.0.2.1", users, login) == .pending)
        authenticator.stop()
        authenticator.run()
        #expect(called.withLock { $0 } == false)
    }
}
