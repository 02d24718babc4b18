import FoundationEssentials
import NetworkHealth
import NetworkPath
import Posix

extension [UplinkReport] {
    /// What a snapshot of the host's exporter says: outside input, of which nothing is kept that no exporter writes.
    ///
    /// nil where it does not say.
    init?(_ snapshot: SnapshotDocument, now: SuspendingClock.Instant) {
        guard let documents = snapshot.uplinks else { return nil }
        var names: Set<String> = []
        self = documents.prefix(UplinkBoard.limit).compactMap { document in
            // A series cannot be there twice.
            UplinkReport(document, taken: snapshot.timestamp, now: now).flatMap {
                names.insert($0.name).inserted ? $0 : nil
            }
        }
    }
}

extension UplinkReport {
    /// Of a counter, in seconds: a century.
    private static let longestAge = 3.2e9
    /// Of outages and switches: one each second in a century.
    private static let mostEvents: UInt64 = 3_200_000_000

    /// nil for one that no exporter of this version writes.
    fileprivate init?(_ document: UplinkDocument, taken: Date, now: SuspendingClock.Instant) {
        guard let record = document.record, !document.name.isEmpty, document.name.isShort(128),
            document.provider?.isShort(128) ?? true, document.device?.isShort(64) ?? true,
            let offline = Self.duration(record.offlineSeconds), let active = Self.duration(record.activeSeconds),
            [record.outages, record.switches.route, record.switches.hop, record.switches.address]
                .allSatisfy({ $0 <= Self.mostEvents })
        else { return nil }
        let obstacle = UplinkObstacle.allCases.first { $0.word == document.reason }
        guard document.testable == (obstacle == nil) else { return nil }
        func instant(_ date: Date) -> SuspendingClock.Instant { now - Duration(from: date, to: taken) }
        self.init(adopted: document.name)
        provider = document.provider
        interface = document.device.map { Interface(name: $0, index: 0, type: .unknown) }
        routers = document.routers.prefix(2).filter { IPAddress($0) != nil }
        (isActive, isPrimary, isAlone) = (document.active, record.primary, record.alone)
        (self.obstacle, isOnline) = (obstacle, document.online)
        (isExpensive, hasRoute) = (document.expensive, document.expensive != nil)
        if isOnline == false {
            (cause, downSince) = (document.cause.flatMap(OutageCause.init), document.since.map(instant))
        }
        latency = document.latencySeconds.flatMap { (0...3600).contains($0) ? Self.duration($0) : nil }
        lossRatio = document.lossRatio.flatMap { (0...1).contains($0) ? $0 : nil }
        answeredAt = document.answeredAt.map(instant)
        (outages, switches) = (record.outages, record.switches.route)
        (self.offline, self.active) = (offline, active)
        switchesInside = [.hop: record.switches.hop, .address: record.switches.address].filter { $0.value > 0 }
    }

    private static func duration(_ seconds: Double) -> Duration? {
        (0...longestAge).contains(seconds) ? .microseconds(Int64((seconds * 1e6).rounded())) : nil
    }
}
