import Locking
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

    private struct Job: Sendable {
        let user: String
        let isKnown: Bool
        let hash: BcryptHash
        let password: [UInt8]
        let digest: PasswordDigest
    }

    private struct State {
        var cache = VerdictCache()
        /// The requests that wait for each password that is, or will be, hashed.
        var waiting: [PasswordDigest: [@Sendable (Bool) -> Void]] = [:]
    }

    /// How many passwords may wait while one is hashed.
    static let queueLimit = 16

    private let state = Locked(State())
    private let jobs: Mailbox<Job>
    private let maker = PasswordDigest.Maker()

    init() throws(SystemError) { jobs = try Mailbox(capacity: Self.queueLimit + 1) }

    /// Judges a request by its header `Authorization`.
    ///
    /// - Parameters:
    ///   - header: nil without one.
    ///   - users: not empty.
    ///   - then: called with the verdict if the outcome is `pending`, on the hashing thread.
    /// - Returns: what becomes of the request.
    func judge(
        _ header: String?,
        _ users: [String: BcryptHash],
        then: @escaping @Sendable (Bool) -> Void
    ) -> Outcome {
        guard let credentials = BasicCredentials(header) else { return .refused }
        let known = users[credentials.user]
        // A name that does not exist takes as long as one that does.
        let hash = known ?? BcryptHash(unmatchedWithCost: users.values.map(\.cost).max() ?? BcryptHash.costs.lowerBound)
        guard let digest = maker.digest(credentials.user, hash, credentials.password) else { return .busy }
        let job = Job(
            user: credentials.user,
            isKnown: known != nil,
            hash: hash,
            password: credentials.password,
            digest: digest
        )
        return state.withLock { state in
            if let verdict = state.cache.verdict(of: job.user, digest) { return verdict ? .allowed : .refused }
            if state.waiting[digest] == nil {
                guard state.waiting.count <= Self.queueLimit, case .accepted = jobs.post(job) else { return .busy }
            }
            state.waiting[digest, default: []].append(then)
            return .pending
        }
    }

    /// The loop of the hashing thread, until ``stop()``.
    func run() {
        while !jobs.isStopped {
            jobs.wait()
            for job in jobs.take().messages where !jobs.isStopped {
                let isAccepted = job.hash.matches(job.password) && job.isKnown
                let waiting = state.withLock { state in
                    state.cache.keep(isAccepted, of: job.user, job.digest)
                    return state.waiting.removeValue(forKey: job.digest) ?? []
                }
                for then in waiting { then(isAccepted) }
            }
        }
    }

    /// Ends the loop after the hash at hand; from any thread.
    func stop() { jobs.stop() }
}
