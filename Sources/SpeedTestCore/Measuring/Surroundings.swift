import Statistics

/// What else went on, at one end of the window.
struct Surroundings: Sendable, Equatable {
    var time: Duration
    /// Of the thread that moves the load.
    var processor: Duration?
    /// What the device has carried in the load's direction, by whomever.
    var device: UInt64?

    /// More of its time than this and the thread was what held the rate down.
    private static let busy = 0.9
    /// Of what we moved ourselves.
    private static let foreign = 0.1
    /// What headers of Ethernet, IP and TCP add at most to full segments.
    private static let overhead = 1.06

    /// What may have held down the rate of the window that ends here.
    func limits(since start: Surroundings, ours: UInt64) -> Set<DirectionReport.Limit> {
        var limits: Set<DirectionReport.Limit> = []
        let seconds = (time - start.time).seconds
        if let from = start.processor, let to = processor, seconds > 0, (to - from).seconds / seconds > Self.busy {
            limits.insert(.cpu)
        }
        if let from = start.device, let to = device, to > from {
            let ours = Double(ours)
            if Double(to - from) - ours * Self.overhead > ours * Self.foreign { limits.insert(.crossTraffic) }
        }
        return limits
    }
}
