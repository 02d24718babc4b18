/// What NetworkManager says about the cost of a device; the raw values are labels of metrics.
public enum MeteredState: String, Sendable, CaseIterable {
    /// The user said metered.
    case yes
    /// The user said not metered.
    case no
    /// NetworkManager guesses metered.
    case guessYes = "guess_yes"
    /// NetworkManager guesses not metered.
    case guessNo = "guess_no"
    /// NetworkManager does not run or does not say.
    case unknown
}

extension MeteredState {
    init(_ metered: Metered) {
        self =
            switch metered {
            case .unknown: .unknown
            case .yes: .yes
            case .no: .no
            case .guessYes: .guessYes
            case .guessNo: .guessNo
            }
    }

    /// Whether the user said it, which a guess never outweighs.
    var isExplicit: Bool { self == .yes || self == .no }
}
