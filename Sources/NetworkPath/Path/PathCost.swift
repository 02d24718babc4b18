/// What decided whether a path is expensive or constrained; the raw values are labels of metrics.
///
/// The cases are in the order of priority: the first source that knows decides.
public enum CostSource: String, Sendable, CaseIterable {
    /// A flag of the command line, or its environment variable.
    case flag
    /// A rule of the configuration that names the device, or an uplink of the configuration over it.
    case rule
    /// The configuration's setting for every device.
    case config
    /// The file that the configuration names, such as a script of the user writes.
    case file
    /// The exporter of the host, which a container follows.
    case host
    /// NetworkManager: the user marked the connection as metered.
    case networkManagerYes = "nm_yes"
    /// NetworkManager: the user marked the connection as not metered.
    case networkManagerNo = "nm_no"
    /// NetworkManager guesses that the connection is metered.
    case networkManagerGuess = "nm_guess"
    /// The device is a modem.
    case cellular
    /// A phone shares its connection over the device.
    case tether
    /// The router has the address that an iPhone's hotspot has.
    case gatewayGuess = "gateway_guess"
    /// No source knows, on a host: not expensive, not constrained, as Apple's `NWPath` has it.
    case assumed
    /// No source knows, in a container: the devices that cost money are not visible there.
    ///
    /// Also on a host, until NetworkManager has answered after the start.
    case unknown
}

extension CostSource {
    /// The priority; the lowest decides.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

/// NetworkManager's view of the cost of a device (NMMetered); the raw values are labels of metrics.
public enum MeteredState: String, Sendable, CaseIterable {
    /// The user marked it as metered.
    case yes
    /// The user marked it as not metered.
    case no
    /// NetworkManager guesses that it is metered.
    case guessYes = "guess_yes"
    /// NetworkManager guesses that it is not metered.
    case guessNo = "guess_no"
    /// NetworkManager does not run or does not know.
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

    /// Whether the user decided, which takes priority over a guess.
    var isExplicit: Bool { self == .yes || self == .no }
}
