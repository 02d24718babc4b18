/// What NetworkManager knows about the cost of a device (NMMetered, by its number).
package enum Metered: UInt32, Sendable {
    case unknown = 0
    case yes = 1
    case no = 2
    case guessYes = 3
    case guessNo = 4
}
