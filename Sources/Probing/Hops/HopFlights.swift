/// The probes of one socket that are under way: which answer belongs to which.
///
/// The port in an answer is that of a distance; the payload that it quotes is that of one probe. Some routers quote too
/// little. Of two probes to such a router it would be unknown which was answered, so there is one at a time.
struct HopFlights<Waiter: Sendable>: Sendable {
    struct Flight: Sendable {
        let distance: Int
        var times: EchoTimes
        /// The number of the kernel's time stamp; nil: none is to come.
        var key: UInt32?
        let waiter: Waiter
    }

    private var flights: [UInt16: Flight] = [:]
    private var lastNumber: UInt16
    /// The distances from which the last answer quoted too little.
    private var unreadable: Set<Int> = []

    /// - Parameter lastNumber: a random one, so that an answer cannot be forged by counting.
    init(lastNumber: UInt16) { self.lastNumber = lastNumber }

    var count: Int { flights.count }

    /// The number of the next probe; nil: its answer could be taken for that of an earlier one.
    mutating func nextNumber(to distance: Int) -> UInt16? {
        guard !unreadable.contains(distance) || flights.values.allSatisfy({ $0.distance != distance }) else {
            return nil
        }
        lastNumber &+= 1
        return flights[lastNumber] == nil ? lastNumber : nil
    }

    mutating func insert(_ flight: Flight, number: UInt16) { flights[number] = flight }

    /// Notes when the kernel sent a probe.
    mutating func setDeparture(_ time: Duration, key: UInt32) {
        guard let number = flights.first(where: { $0.value.key == key })?.key else { return }
        flights[number]?.times.departure = time
    }

    /// Forgets the numbers of the time stamps, which start again.
    mutating func forgetKeys() {
        for number in flights.keys { flights[number]?.key = nil }
    }

    /// Removes the probes that an answer may belong to.
    ///
    /// - Parameters:
    ///   - number: as it is quoted; nil: it is not.
    ///   - distance: as the port says.
    /// - Returns: that one; several where it is unknown which; none for a late, repeated or forged answer.
    mutating func take(_ number: UInt16?, at distance: Int) -> [Flight] {
        guard let number else {
            unreadable.insert(distance)
            let candidates = flights.filter { $0.value.distance == distance }
            for number in candidates.keys { flights[number] = nil }
            return Array(candidates.values)
        }
        unreadable.remove(distance)
        guard flights[number]?.distance == distance else { return [] }
        return flights.removeValue(forKey: number).map { [$0] } ?? []
    }

    /// Removes a probe whose time is over; nil: it was answered.
    mutating func giveUp(_ number: UInt16) -> Flight? { flights.removeValue(forKey: number) }
}
