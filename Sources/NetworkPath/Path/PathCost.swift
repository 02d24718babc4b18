/// What decided whether a path is expensive or constrained; the raw values are labels of metrics.
///
/// The cases stand in the order in which they are asked: the first that knows something decides.
public enum CostSource: String, Sendable, CaseIterable {
    /// A rule of the configuration that names the device.
    case rule
    /// The configuration's setting for every device.
    case config
    /// The file that the configuration names: a script of the user's decides.
    case file
    /// NetworkManager: the user said metered.
    case networkManagerYes = "nm_yes"
    /// NetworkManager: the user said not metered.
    case networkManagerNo = "nm_no"
    /// NetworkManager guesses metered.
    case networkManagerGuess = "nm_guess"
    /// The device is a modem.
    case cellular
    /// A phone shares its connection over the device.
    case tether
    /// The router has the address that an iPhone's hotspot has.
    case gatewayGuess = "gateway_guess"
    /// Nobody knows anything: no.
    case `default`
}

extension CostSource {
    /// The place in the order of asking; lower decides earlier.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

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
    /// From the number of NMMetered.
    init(nmMetered number: UInt32) {
        self =
            switch number {
            case 1: .yes
            case 2: .no
            case 3: .guessYes
            case 4: .guessNo
            default: .unknown
            }
    }

    /// Whether the user said it, which a guess never outweighs.
    var isExplicit: Bool { self == .yes || self == .no }
}
