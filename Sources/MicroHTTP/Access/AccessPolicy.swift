extension Server {
    /// What may change while a server runs: evaluated for each request.
    public struct AccessPolicy: Sendable, Equatable {
        /// The users and the hashes of their passwords; empty: every client is answered.
        public var users: [String: BcryptHash]
        /// Added to each answer that a handler makes without a field of that name, before the common headers.
        public var headers: Headers
        /// Whether no request can be judged, as the policy could not be read: every answer is 500.
        public var isBroken: Bool

        /// Everything is allowed.
        public init(users: [String: BcryptHash] = [:], headers: Headers = [:], isBroken: Bool = false) {
            self.users = users
            self.headers = headers
            self.isBroken = isBroken
        }
    }
}
