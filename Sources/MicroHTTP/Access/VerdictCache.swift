/// The passwords that were checked, as digests: a client that comes back is answered without a new hash.
///
/// A refused password never displaces an accepted one, so that guesses cannot slow the scraper down.
struct VerdictCache {
    /// How many refused ones are kept.
    static let limit = 100

    /// By user; a new hash in the file has a new digest.
    private var accepted: [String: PasswordDigest] = [:]
    private var refused: [PasswordDigest] = []
    private var oldest = 0

    /// nil: not known.
    func verdict(of user: String, _ digest: PasswordDigest) -> Bool? {
        if accepted[user] == digest { return true }
        return refused.contains(digest) ? false : nil
    }

    mutating func keep(_ isAccepted: Bool, of user: String, _ digest: PasswordDigest) {
        if isAccepted {
            accepted[user] = digest
        } else if refused.count < Self.limit {
            refused.append(digest)
        } else {
            refused[oldest] = digest
            oldest = (oldest + 1) % Self.limit
        }
    }
}
