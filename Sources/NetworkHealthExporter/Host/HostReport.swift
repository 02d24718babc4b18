import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import Statistics

/// What a container adopts from a snapshot of its host's exporter.
struct HostReport: Sendable, Equatable {
    var path: PathPolicy.HostFacts
    var quality: QualityHistory.HostQuality
    /// Of the moment of the snapshot; nil: unknown.
    var latency: NetworkLatency?
    /// Of the internet behind the host's path; nil: unknown.
    var internet: InternetState?
    /// Where the host denies certificates that are not trusted, they are an outage here, too.
    var internetCause: InternetCause?
    /// Its ongoing outage, else the last one; nil: there was none, or it does not say.
    var outage: Outage?
    /// What it has found to be wrong; nil: it does not say.
    var faults: [Fault]?

    /// An outage of the host, by this process's clock.
    struct Outage: Sendable, Equatable {
        /// When its first evidence arrived there.
        var since: SuspendingClock.Instant
        /// When the first evidence of its end arrived there; nil while it is ongoing.
        var end: SuspendingClock.Instant?
        /// Where the host's exporter has found it; nil: unknown.
        var place: FaultLocation?
    }

    /// nil where that exporter is in a container itself, and sees no more than this one.
    ///
    /// - Parameters:
    ///   - snapshot: of the host's exporter.
    ///   - date: when it arrived.
    ///   - now: the same time.
    init?(_ snapshot: SnapshotDocument, at date: Date, now: SuspendingClock.Instant = .now) {
        guard snapshot.viewpoint == Path.Viewpoint.host.rawValue else { return nil }
        path = PathPolicy.HostFacts(
            device: snapshot.interfaceName.flatMap { !$0.isEmpty && $0.isShort(64) ? $0 : nil },
            type: Interface.InterfaceType(ConnectionType(rawValue: snapshot.connectionType) ?? .unknown),
            isExpensive: snapshot.isExpensive,
            isConstrained: snapshot.isConstrained
        )
        quality = QualityHistory.HostQuality()
        if let age = snapshot.measurementAgeSeconds, age >= 0, age < 1e9 {
            let measurement = SpeedMeasurement(
                download: snapshot.downloadSpeedMbps.flatMap(BitRate.init(plausibleMegabits:)),
                upload: snapshot.uploadSpeedMbps.flatMap(BitRate.init(plausibleMegabits:)),
                // To the minute: the same measurement shall be equal in each snapshot.
                measuredAt: Date(timeIntervalSince1970: ((date.timeIntervalSince1970 - age) / 60).rounded() * 60),
                isLowerBound: snapshot.speedIsLowerBound ?? false,
                uncertainty: snapshot.speedUncertaintyRatio.flatMap { (0...1).contains($0) ? $0 : nil } ?? 0
            )
            quality.measurement = measurement.decisive == nil ? nil : measurement
        }
        if snapshot.qualitySource == QualitySource.estimated.rawValue {
            quality.estimate = snapshot.quality.flatMap(NetworkQuality.init).flatMap { $0 == .offline ? nil : $0 }
        }
        latency = NetworkLatency(snapshot)
        outage = Outage(snapshot, at: date, now: now)
        faults = [Fault](snapshot)
        switch (snapshot.online, snapshot.internetState.flatMap(InternetState.init)) {
        case (nil, _): internet = nil
        case (true?, let state): internet = state.flatMap { $0.isOnline(cause: nil) ? $0 : nil } ?? .online
        // Without a path, the host's network is what the container lacks.
        case (false?, nil), (false?, .noPath?), (false?, .unknown?): internet = .noInternet
        case (false?, let state?):
            internetCause = state == .tlsUntrusted ? .tlsUntrusted : nil
            internet = state.isOnline(cause: internetCause) ? .noInternet : state
        }
    }
}

extension Duration {
    /// How long before `taken` a time was that another exporter has written: none for a later one, at most a century.
    init(from date: Date, to taken: Date) {
        self = .milliseconds(Int64(min(max(0, taken.timeIntervalSince(date)), 3.2e9) * 1000))
    }
}

extension HostReport.Outage {
    /// For how long a snapshot may have been under way, in seconds.
    private static let longestWay = 5.0

    /// What a snapshot says; nil where that is nothing, or no time.
    ///
    /// The clock of a host is that of its containers, so that times need no correction for the way of the snapshot. The
    /// clocks of two machines may differ: a snapshot counts as 5 s old at most. The first one of a connection is that of the
    /// last change. Where it is older than 5 s, its times come out later by the rest.
    ///
    /// - Parameters:
    ///   - snapshot: of the host's exporter.
    ///   - date: when it arrived.
    ///   - now: the same time.
    init?(_ snapshot: SnapshotDocument, at date: Date, now: SuspendingClock.Instant) {
        guard let outage = snapshot.outage, let start = RFC3339.parse(outage.startedAt) else { return nil }
        let way = min(max(0, date.timeIntervalSince(snapshot.timestamp)), Self.longestWay)
        func instant(_ seconds: Double) -> SuspendingClock.Instant {
            now - Duration(from: Date(timeIntervalSince1970: seconds), to: snapshot.timestamp + way)
        }
        since = instant(start)
        if let text = outage.endedAt {
            guard let end = RFC3339.parse(text) else { return nil }
            self.end = instant(max(start, end))
        }
        place = FaultLocation(rawValue: outage.location).flatMap { $0 == .unknown ? nil : $0 }
    }
}

extension NetworkLatency {
    /// What a snapshot says; nil where that is nothing, or no network has such values.
    init?(_ snapshot: SnapshotDocument) {
        func duration(_ seconds: Double?) -> Duration? {
            seconds.flatMap { (0...3600).contains($0) ? .microseconds(Int64(($0 * 1e6).rounded())) : nil }
        }
        self.init(
            latency: duration(snapshot.latency),
            jitter: duration(snapshot.jitterSeconds),
            lossRatio: snapshot.lossRatio.flatMap { (0...1).contains($0) ? $0 : nil }
        )
        if self == NetworkLatency() { return nil }
    }
}

extension [Fault] {
    /// What a snapshot says, by words that this version knows; nil where it says nothing.
    init?(_ snapshot: SnapshotDocument) {
        guard let documents = snapshot.faults else { return nil }
        let known = documents.lazy.compactMap { Fault($0, taken: snapshot.timestamp, now: .now) }
        self = Dictionary(known.map { ($0.pair, $0) }) { first, _ in first }.values.sorted { $0.pair < $1.pair }
    }
}

extension BitRate {
    /// nil for a number that no link has.
    fileprivate init?(plausibleMegabits number: Double) {
        guard number >= 0, number < 1e9 else { return nil }
        self = .megabits(number)
    }
}

extension Interface.InterfaceType {
    fileprivate init(_ type: ConnectionType) {
        self =
            switch type {
            case .wifi: .wifi
            case .cellular: .cellular
            case .ethernet: .wiredEthernet
            case .other: .other
            case .unknown: .unknown
            }
    }
}
