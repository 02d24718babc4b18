import Posix

extension Refusal {
    /// No way through the internet is longer than this many hops.
    private static let farthest = 40

    /// - Parameters:
    ///   - error: as the kernel keeps it.
    ///   - now: when it is read.
    init(_ error: RouterError, at now: ContinuousClock.Instant = .now) {
        self.init(
            sender: error.sender,
            destination: error.destination.ip,
            type: error.type,
            code: error.code,
            distance: error.isOwn ? 0 : error.hopsLeft.flatMap(Self.distance),
            at: now
        )
    }

    /// How far a packet came with so many hops left: senders begin with 64, 128 or 255.
    static func distance(hopsLeft: UInt8) -> Int? {
        guard let start = [64, 128, 255].first(where: { $0 >= Int(hopsLeft) }) else { return nil }
        let distance = start - Int(hopsLeft) + 1
        return distance <= farthest ? distance : nil
    }
}
