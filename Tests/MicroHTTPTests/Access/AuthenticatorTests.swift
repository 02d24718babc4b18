import Foundation
import Locking
import Posix
import Testing

@testable import MicroHTTP

struct AuthenticatorTests {
    private let hash = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"

    private func header(_ password: String, user: String = "user") -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    @Test func `17 passwords wait or are hashed, an 18th is refused, and equal ones are one`() async throws {
        let authenticator = try Authenticator()
        let users = ["user": try BcryptHash(hash)]
        let verdicts = Locked<[Bool]>([])
        let all = Gate<Void>()
        let then: @Sendable (Bool) -> Void = { verdict in
            let count = verdicts.withLock { verdicts in
                verdicts.append(verdict)
                return verdicts.count
            }
            if count == 27 { all.open() }
        }
        for password in ["secret"] + (1...16).map(String.init) {
            #expect(authenticator.judge(header(password), users, then: then) == .pending)
        }
        #expect(authenticator.judge(header("17"), users, then: then) == .busy)
        // Those that wait already need no room.
        for _ in 0..<10 { #expect(authenticator.judge(header("secret"), users, then: then) == .pending) }
        #expect(authenticator.judge(nil, users, then: then) == .refused)
        let thread = try LoopThread(name: "hashes") { authenticator.run() }
        await all.wait()
        #expect(verdicts.withLock { $0.count(where: \.self) } == 11)
        #expect(authenticator.judge(header("secret"), users, then: then) == .allowed)
        #expect(authenticator.judge(header("16"), users, then: then) == .refused)
        #expect(authenticator.judge(header("17"), users, then: then) == .pending)
        authenticator.stop()
        await thread.join()
    }

    @Test func `a user that does not exist is refused after a hash, as is one whose password is empty`() async throws {
        let authenticator = try Authenticator()
        let users = ["user": try BcryptHash(hash)]
        let gates = ["nobody", ""].map { name in
            let gate = Gate<Bool>()
            let outcome = authenticator.judge(header("secret", user: name), users) { gate.open(with: $0) }
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
        #expect(authenticator.judge(header("x"), users) { _ in called.withLock { $0 = true } } == .pending)
        authenticator.stop()
        authenticator.run()
        #expect(called.withLock { $0 } == false)
    }
}
