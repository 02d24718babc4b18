/// What a device stands on, as far as can be seen from here.
struct Underlay: Sendable, Equatable {
    var state: State = .none
    /// The devices below, from the next one down to the hardware.
    var chain: [Int32] = []
    /// Devices that carry the traffic beside those of the chain: the other members of a bond.
    var parallel: [Int32] = []

    enum State: Sendable, Equatable {
        /// Nothing: it is hardware, or stands for itself.
        case none
        /// All of it can carry traffic.
        case usable
        /// It cannot, or there is nothing that could.
        case unusable(DownCause)
        /// It is not visible, as in another network namespace.
        case unknown
    }
}
