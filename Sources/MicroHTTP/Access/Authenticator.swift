import Coordination
import Posix

/// Decides whether a client may have an answer, by the policy of the moment.
///
/// Hashes are computed by one thread, one after the other, so that logins take one core at most.
final class Authenticator: Sendable {
    /// What becomes of a request.
    enum Outcome: Equatable {
        case allowed
        /// No credentials, or wrong ones.
        case refused
        /// The verdict comes later.
        case pending
        /// Too many passwords wait.
        case busy
    }

    /// A request that waits for the verdict.
    struct Login: Sendable {
        /// Whether its client still waits.
        let isWanted: @Sendable () -> Bool
        /// Called with the verdict, on the hashing thread.
        let then: @Sendable (Bool) -> Void
    }

    private struct Job: Sendable {
        let user: String
        let network: String
        let password: [UInt8]
        let digest: PasswordDigest
        let check: PasswordCheck
    }

    private struct State {
        var cache = VerdictCache()
        var queue = LoginQueue<Job>()
        /// The requests that wait for each password that is, or will be, hashed.
        var waiting: [PasswordDigest: [Login]] = [:]
    }

    /// How many passwords may wait: more than requests can be held, so that there is always room when those without a
    /// client are removed.
    private static let queueLimit = 1024
    /// How many requests may wait for one password before those without a client are removed.
    private static let waitingLimit = 64

    private let state = Locked(State())
    private let wakeup: Mailbox<Void>
    private let maker = PasswordDigest.Maker()

    init() throws(SystemError) { wakeup = try Mailbox(capacity: 1) }

    /// Judges a request by its header `Authorization`.
    ///
    /// - Parameters:
    ///   - header: nil without one.
    ///   - network: what its client may have, see ``Connection/network``.
    ///   - users: not empty.
    ///   - login: called if the outcome is `pending`.
    /// - Returns: what becomes of the request.
    func judge(_ header: String?, of network: String, _ users: [String: BcryptHash], _ login: Login) -> Outcome {
        guard let credentials = BasicCredentials(header) else { return .refused }
        let check = PasswordCheck(of: users[credentials.user], among: users.values)
        guard let digest = maker.digest(credentials.user, check.hash, credentials.password) else { return .busy }
        let job = Job(
            user: credentials.user,
            network: network,
            password: credentials.password,
            digest: digest,
            check: check
        )
        let outcome = state.withLock { state -> Outcome in
            if let verdict = state.cache.verdict(of: job.user, digest) {
                if verdict { state.queue.noteSuccess(of: network) }
                return verdict ? .allowed : .refused
            }
            if state.waiting[digest] == nil {
                guard makeRoom(&state) else { return .busy }
                state.queue.add(job, from: network)
            }
            if state.waiting[digest, default: []].count % Self.waitingLimit == Self.waitingLimit - 1 {
                state.waiting[digest]?.removeAll { !$0.isWanted() }
            }
            state.waiting[digest, default: []].append(login)
            return .pending
        }
        if outcome == .pending { wakeup.wake() }
        return outcome
    }

    private func makeRoom(_ state: inout State) -> Bool {
        guard state.queue.count >= Self.queueLimit else { return true }
        let abandoned = state.waiting.filter { !$0.value.contains { $0.isWanted() } }
        for digest in abandoned.keys { state.waiting[digest] = nil }
        state.queue.removeAll { abandoned[$0.digest] != nil }
        return state.queue.count < Self.queueLimit
    }

    /// The loop of the hashing thread, until ``stop()``.
    func run() {
        while !wakeup.isStopped {
            wakeup.wait()
            _ = wakeup.take()
            while !wakeup.isStopped, let job = nextJob() {
                let isAccepted = job.check.matches(job.password)
                let waiting = state.withLock { state in
                    state.cache.keep(isAccepted, of: job.user, job.digest)
                    if isAccepted { state.queue.noteSuccess(of: job.network) }
                    return state.waiting.removeValue(forKey: job.digest) ?? []
                }
                for login in waiting { login.then(isAccepted) }
            }
        }
    }

    /// The next job whose result a client waits for.
    private func nextJob() -> Job? {
        state.withLock { state in
            while let job = state.queue.next() {
                if state.waiting[job.digest, default: []].contains(where: { $0.isWanted() }) { return job }
                state.waiting[job.digest] = nil
            }
            return nil
        }
    }

    /// Ends the loop after the hash at hand; from any thread.
    func stop() { wakeup.stop() }
}

/// A check of a password that takes as long for each wrong password, whether the user exists and whatever the cost of the
/// user's hash.
struct PasswordCheck: Sendable {
    /// The user's, or one of the highest cost that no password has.
    let hash: BcryptHash
    private let isKnown: Bool
    private let highestCost: Int

    /// - Parameters:
    ///   - hash: nil for a user that does not exist.
    ///   - hashes: those of all users.
    init(of hash: BcryptHash?, among hashes: some Collection<BcryptHash>) {
        isKnown = hash != nil
        highestCost = hashes.map(\.cost).max() ?? BcryptHash.costs.lowerBound
        self.hash = hash ?? BcryptHash(unmatchedWithCost: highestCost)
    }

    /// The costs of the hashes that a wrong password takes: 2^c + 2^c + 2^(c+1) + … + 2^(h-1) rounds are 2^h.
    var costs: [Int] { [hash.cost] + (hash.cost..<highestCost) }

    func matches(_ password: [UInt8]) -> Bool {
        if hash.matches(password), isKnown { return true }
        for cost in costs.dropFirst() { _ = BcryptHash(unmatchedWithCost: cost).matches(password) }
        return false
    }
}
