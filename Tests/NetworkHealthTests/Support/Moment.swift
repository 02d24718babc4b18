import NetworkPath

/// Instants counted from one fixed moment: the reducer and the tracker are handed their time.
enum Moment {
    private static let start = SuspendingClock().now

    static func at(_ seconds: Double) -> SuspendingClock.Instant { start.advanced(by: .seconds(seconds)) }
}

extension Path {
    /// A satisfied path over one device.
    static func over(
        _ type: Interface.InterfaceType,
        name: String = "eth0",
        speed: UInt64? = nil,
        underlay: Interface? = nil
    ) -> Path {
        var path = Path(status: .satisfied)
        path.interface = Interface(
            name: name,
            index: 2,
            type: type,
            isVirtual: underlay != nil,
            isTunnel: underlay != nil,
            linkSpeed: speed
        )
        path.underlay = underlay
        return path
    }
}

extension PathUpdate {
    /// An update seen and told at the given seconds.
    static func made(
        _ path: Path,
        _ generation: UInt64 = 1,
        evidence: Double,
        published: Double,
        cause: DownCause? = nil,
        isSettling: Bool = false
    ) -> PathUpdate {
        var update = PathUpdate(
            path: path,
            changes: [],
            generation: generation,
            evidenceAt: Moment.at(evidence),
            publishedAt: Moment.at(published)
        )
        update.downCause = cause
        update.isSettling = isSettling
        return update
    }
}
