package import Posix

/// Notices when what answers in one place on the way has become another one for good.
///
/// The place is the first router behind this host's, or the public address. A value.
///
/// Several equal paths, or several public addresses, answer in turn: that is no change. Therefore only answers in a row count that
/// all are from addresses which did not answer before.
package struct AddressWatch: Sendable, Equatable {
    /// So many answers are the known ones, and so many in a row from others are a change.
    static let needed = 5
    /// In a row, where others and the known ones have alternated.
    static let neededAmongSeveral = 30
    /// So many known ones in a row end that.
    static let forgetting = 20

    package private(set) var known: Set<IPAddress> = []
    private var learned = 0
    private var others: [IPAddress] = []
    /// Known ones in a row since others answered; nil: others never did.
    private var calm: Int?

    package init() {}

    /// Whether the last answer was none of the known ones.
    package var isElsewhere: Bool { !others.isEmpty }
    /// Whether another answer soon would decide, rather than one at the ordinary time.
    package var isInDoubt: Bool { !others.isEmpty && calm == nil }
    /// Whether what is known is not complete.
    package var isLearning: Bool { learned < Self.needed }

    /// Takes one answer.
    ///
    /// - Returns: whether it completes a change.
    package mutating func take(_ address: IPAddress) -> Bool {
        if isLearning {
            known.insert(address)
            learned += 1
            return false
        }
        if known.contains(address) {
            if !others.isEmpty { calm = 0 } else { calm = calm.flatMap { $0 < Self.forgetting ? $0 + 1 : nil } }
            others = []
            return false
        }
        others.append(address)
        guard others.count >= (calm == nil ? Self.needed : Self.neededAmongSeveral) else { return false }
        (known, others, calm) = (Set(others), [], nil)
        return true
    }
}
